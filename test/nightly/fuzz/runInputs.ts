// One run inside the subject's process: so many inputs of a seed, and between them proof that all is as before. Ends at
// the first that fails, whose number is all that the harness needs: it makes the same inputs.
import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { AnyKind, Subject } from './kind';

/** Inputs between two questions whether all is as before. */
const SOUND_EVERY = 50;

export interface RunOptions {
  readonly seed: number;
  readonly runs: number;
  /** Ends the run earlier; for as long as somebody wants to wait. */
  readonly limitMs?: number;
}

interface HeldBytes {
  /** Of JavaScript, once all that nobody refers to is gone. */
  readonly heap: number;
  /** Of the process, with what its libraries keep for later. */
  readonly resident: number;
}

export interface RunResult {
  readonly inputs: number;
  /** How much more memory is held at the end of a whole run than at its half. */
  readonly growth?: HeldBytes | undefined;
  /** The number of the input that has failed, from 0, and how. */
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
