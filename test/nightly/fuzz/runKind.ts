// Runs one kind of input once. Reduces a failed input to the smallest one that still fails, with a new process after
// each one that fails.
import * as fc from 'fast-check';
import type { AnyKind } from './kind';
import type { RunOptions, RunResult } from './runInputs';
import type { SubjectProcess } from './subjectProcess';

/** Limits of growth in bytes, in the second half of a run: inputs that each leak a little exceed them together. */
const MAX_GROWTH = { heap: 24e6, resident: 256e6 };
/** Time limit for reducing an input; the result need not be the smallest of all. */
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
    ? await smallestDefect(kind, subject, options.seed, result.failed)
    : growthDefect(result.growth);
  return { ...result, seconds: (performance.now() - began) / 1000, defect };
}

function growthDefect({ heap, resident } = { heap: 0, resident: 0 }): Defect | undefined {
  if (heap <= MAX_GROWTH.heap && resident <= MAX_GROWTH.resident) return undefined;
  const growth = `${String(heap)} bytes of JavaScript and ${String(resident)} resident bytes`;
  return { input: 'all inputs of the run', error: `Memory grew by ${growth} in the second half of the run.` };
}

/** Returns input number `index`, reduced; unchanged if it fails only after the inputs before it. */
async function smallestDefect(
  kind: AnyKind,
  subject: SubjectProcess,
  seed: number,
  { index, error }: NonNullable<RunResult['failed']>,
): Promise<Defect> {
  subject.close();
  let original: { readonly input: unknown; readonly began: number } | undefined;
  const property = fc.asyncProperty(kind.inputs, async (input) => {
    // The time starts here, as all inputs before this one are generated first, which can take long.
    original ??= { input, began: performance.now() };
    if (performance.now() < original.began + SHRINKING_MS) await subject.attempt(kind.name, input);
  });
  const details = await fc.check(property, { seed, path: String(index), numRuns: 1 });
  return details.failed
    ? { input: details.counterexample?.[0], error: String(details.errorInstance) }
    : { input: original?.input, error: `After the ${String(index)} inputs before it: ${error}` };
}
