// One run in the subject's process: inputs of a seed, with checks between them that a valid input gives its known
// result. Ends at the first failed input and returns its number, from which the harness generates it again.
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { AnyKind, Subject } from './kind';

/** Number of inputs between two checks of a valid input. */
const CHECK_EVERY = 50;

export interface RunOptions {
  readonly seed: number;
  readonly runs: number;
  /** Time limit of the run, after which it ends without a failure. */
  readonly limitMs?: number;
}

/** Memory in bytes, or its growth. */
interface HeldBytes {
  /** JavaScript heap and buffers after garbage collection. */
  readonly heap: number;
  /** Memory of the process, including what its libraries keep for later. */
  readonly resident: number;
}

export interface RunResult {
  /** Number of inputs that passed. */
  readonly inputs: number;
  /** Growth of memory from the middle to the end of a complete run. */
  readonly growth?: HeldBytes | undefined;
  /** Number of the failed input, from 0, and its error. */
  readonly failed?: { readonly index: number; readonly error: string } | undefined;
}

export async function runInputs(
  kind: AnyKind,
  subject: Subject<unknown>,
  { seed, runs, limitMs }: RunOptions,
  onInput: (index: number) => void,
): Promise<RunResult> {
  let [current, passed] = [0, 0];
  let halfway: HeldBytes | undefined;
  const property = fc.asyncProperty(kind.inputs, async (input) => {
    current = passed;
    onInput(current);
    await subject.attempt(input);
    passed += 1;
    if (passed % CHECK_EVERY === 0 || passed === runs) await subject.checkValid();
    if (passed === runs >> 1) halfway = await heldBytes();
  });
  const limit = limitMs !== undefined && { interruptAfterTimeLimit: limitMs, markInterruptAsFailure: false };
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: true, ...limit });
  if (details.failed)
    return { inputs: passed, failed: { index: current, error: textOf(details.errorInstance) } };
  const { heap, resident } = await heldBytes();
  const growth = halfway && { heap: heap - halfway.heap, resident: resident - halfway.resident };
  return { inputs: passed, growth };
}

export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function heldBytes(): Promise<HeldBytes> {
  for (let i = 0; i < 3; i++) {
    await turn();
    globalThis.gc?.();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}
