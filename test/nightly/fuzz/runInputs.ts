// One run in the subject's process: inputs of a seed, with checks between them that a valid input gives its known
// result. Ends at the first failure; its number is enough for the harness, which generates the same inputs.
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { AnyKind, Subject } from './kind';

/** Inputs between two checks of a valid input. */
const SOUND_EVERY = 50;

export interface RunOptions {
  readonly seed: number;
  readonly runs: number;
  /** Time limit of the run. */
  readonly limitMs?: number;
}

interface HeldBytes {
  /** JavaScript memory after garbage collection. */
  readonly heap: number;
  /** Memory of the process, including what its libraries keep for later. */
  readonly resident: number;
}

export interface RunResult {
  readonly inputs: number;
  /** Growth of memory from the middle to the end of a complete run. */
  readonly growth?: HeldBytes | undefined;
  /** Number of the failed input, from 0, and its error. */
  readonly failed?: { readonly at: number; readonly error: string } | undefined;
}

export async function runInputs(
  kind: AnyKind,
  subject: Subject<unknown>,
  { seed, runs, limitMs }: RunOptions,
  onInput: (at: number) => void,
): Promise<RunResult> {
  let [at, tried] = [0, 0];
  let halfway: HeldBytes | undefined;
  const property = fc.asyncProperty(kind.inputs, async (input) => {
    onInput((at = tried));
    await subject.attempt(input);
    tried += 1;
    if (tried % SOUND_EVERY === 0 || tried === runs) await subject.sound();
    if (tried === runs >> 1) halfway = await heldBytes();
  });
  const limit = limitMs !== undefined && { interruptAfterTimeLimit: limitMs, markInterruptAsFailure: false };
  const found = await fc.check(property, { seed, numRuns: runs, endOnFailure: true, ...limit });
  if (found.failed) return { inputs: tried, failed: { at, error: textOf(found.errorInstance) } };
  const { heap, resident } = await heldBytes();
  const growth = halfway && { heap: heap - halfway.heap, resident: resident - halfway.resident };
  return { inputs: tried, growth };
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
