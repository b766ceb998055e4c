// One run of one kind. A defect comes back as the smallest input that still shows it: made smaller here, with a new
// process for each input that takes one down.
import * as fc from 'fast-check';
import type { AnyKind } from './kind';
import type { RunOptions, RunResult } from './runInputs';
import { SubjectProcess } from './subjectProcess';

/** Beyond what the first half of a run leaves: many inputs that each leave a little come to more. */
const MOST_GROWTH = { heap: 24e6, resident: 256e6 };
/** An input need not be the smallest of all. */
const SHRINKING_MS = 20_000;

export interface KindReport extends RunOptions, RunResult {
  readonly kind: string;
  readonly seconds: number;
  readonly defect?: Defect | undefined;
}

export interface Defect {
  readonly input: unknown;
  readonly error: string;
}

/** In `shared`, which others use after it, or in a process of its own. */
export async function runKind(
  kind: AnyKind,
  options: RunOptions,
  shared?: SubjectProcess,
): Promise<KindReport> {
  const began = performance.now();
  const subject = shared ?? new SubjectProcess();
  try {
    await subject.open(kind.name);
    const result = await subject.run(options);
    const defect = await defectOf(kind, subject, options.seed, result);
    const seconds = (performance.now() - began) / 1000;
    return { kind: kind.name, ...options, ...result, seconds, defect };
  } finally {
    if (shared === undefined) subject.end();
  }
}

async function defectOf(
  kind: AnyKind,
  subject: SubjectProcess,
  seed: number,
  { growth, failed }: RunResult,
): Promise<Defect | undefined> {
  if (failed) return await smallest(kind, subject, seed, failed);
  const { heap, resident } = growth;
  if (heap <= MOST_GROWTH.heap && resident <= MOST_GROWTH.resident) return undefined;
  const more = `${String(heap)} bytes more of JavaScript and ${String(resident)} resident`;
  return { input: 'all of them', error: `Expected flat memory, got ${more}` };
}

/** The input with that number, made smaller; as it is if it fails only after those before it. */
async function smallest(
  kind: AnyKind,
  subject: SubjectProcess,
  seed: number,
  { at, error }: NonNullable<RunResult['failed']>,
): Promise<Defect> {
  subject.close();
  let first: { readonly input: unknown; readonly began: number } | undefined;
  const property = fc.asyncProperty(kind.inputs, async (input) => {
    // To get there, all inputs before it are made, which may take long.
    first ??= { input, began: performance.now() };
    if (performance.now() < first.began + SHRINKING_MS) await subject.attempt(input);
  });
  const found = await fc.check(property, { seed, path: String(at), numRuns: 1 });
  if (!found.failed)
    return { input: first?.input, error: `After the ${String(at)} inputs before it: ${error}` };
  const { counterexample, errorInstance } = found;
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return { input: counterexample?.[0], error: message };
}
