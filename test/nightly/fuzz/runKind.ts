// One run of one kind. Returns a defect as the smallest input that still shows it: reduced here, with a new process for
// each input that crashes one.
import * as fc from 'fast-check';
import type { AnyKind } from './kind';
import type { RunOptions, RunResult } from './runInputs';
import type { SubjectProcess } from './subjectProcess';

/** Limit of growth in the second half of a run: many inputs that each leave a little exceed it. */
const MAX_GROWTH = { heap: 24e6, resident: 256e6 };
/** Time limit for reducing an input, which need not be the smallest of all. */
const SHRINKING_MS = 20_000;

export interface KindReport extends RunResult {
  readonly seconds: number;
  readonly defect: Defect | undefined;
}

interface Defect {
  readonly input: unknown;
  readonly error: string;
}

/** `subject` can be shared with other kinds. */
export async function runKind(
  kind: AnyKind,
  options: RunOptions,
  subject: SubjectProcess,
): Promise<KindReport> {
  const began = performance.now();
  const result = await subject.run(kind.name, options);
  const defect = result.failed
    ? await smallest(kind, subject, options.seed, result.failed)
    : growthDefect(result.growth);
  return { ...result, seconds: (performance.now() - began) / 1000, defect };
}

function growthDefect({ heap, resident } = { heap: 0, resident: 0 }): Defect | undefined {
  if (heap <= MAX_GROWTH.heap && resident <= MAX_GROWTH.resident) return undefined;
  const more = `${String(heap)} bytes more of JavaScript and ${String(resident)} resident`;
  return { input: 'all of them', error: `Expected flat memory, got ${more}` };
}

/** Returns input number `at`, reduced; unchanged if it fails only after the inputs before it. */
async function smallest(
  kind: AnyKind,
  subject: SubjectProcess,
  seed: number,
  { at, error }: NonNullable<RunResult['failed']>,
): Promise<Defect> {
  subject.close();
  let first: { readonly input: unknown; readonly began: number } | undefined;
  const property = fc.asyncProperty(kind.inputs, async (input) => {
    // All inputs before it are generated first, which can take long.
    first ??= { input, began: performance.now() };
    if (performance.now() < first.began + SHRINKING_MS) await subject.attempt(kind.name, input);
  });
  const found = await fc.check(property, { seed, path: String(at), numRuns: 1 });
  return found.failed
    ? { input: found.counterexample?.[0], error: String(found.errorInstance) }
    : { input: first?.input, error: `After the ${String(at)} inputs before it: ${error}` };
}
