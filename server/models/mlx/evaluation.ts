// Evaluates arrays: starts a computation, waits for it, and lets the event loop run in between. No other file
// evaluates what models compute.
import { passTurns } from '../../machine/turns';
import { core } from './binding';
import type { MxArray } from './addonTypes';
import { bufferCache } from './bufferCache';
import { collectYoung } from './garbageCollection';
import { arraysIn, dispose, keep, scope, takeReleased, type Tree } from './memory';

/** Turns of the event loop after an evaluation: enough for a message to arrive and for its answer to leave. */
const TURNS = 10;

/** The evaluations in progress. MLX has one default device, so a process has one of these. */
class Evaluation {
  /** Whether parts of the next evaluation have begun. */
  #hasBegun = false;
  /** One array of each part of a long pass: reading its number waits until the part is done. */
  #marks: MxArray[] = [];

  begin(arrays: readonly MxArray[]): void {
    this.#hasBegun = true;
    core.asyncEval(...arrays);
  }

  beginPart(part: MxArray, mark: MxArray): void {
    this.#marks.push(mark);
    this.begin([part, mark]);
  }

  async evaluate(arrays: readonly MxArray[]): Promise<void> {
    // Queues the rest of a begun computation, so that it runs while V8 collects.
    if (this.#hasBegun) this.begin(arrays);
    this.#hasBegun = false;
    await collectReleased();
    await this.#waitForParts();
    core.eval(...arrays);
    bufferCache?.observe();
  }

  /** Waits for the parts one by one: reading a mark waits for its part, while evaluating would wait for all. */
  async #waitForParts(): Promise<void> {
    const marks = this.#marks;
    this.#marks = [];
    for (const mark of marks) {
      mark.tolist();
      dispose(mark);
      await giveTurns();
    }
  }
}

const evaluation = new Evaluation();

/** Begins to evaluate arrays while this thread continues. `evaluate` them before they are read. */
export function begin(...trees: readonly Tree[]): void {
  evaluation.begin(arraysIn(trees));
}

/**
 * Begins to evaluate a part of a long pass; `evaluate` then gives the event loop turns when the part is done. `mark`
 * builds an array of one number from the part's results; reading that number waits for the part.
 */
export function beginPart(part: MxArray, mark: () => MxArray): void {
  evaluation.beginPart(part, keep(scope(mark)));
}

/** Evaluates arrays, on this thread. */
export async function evaluate(...trees: readonly Tree[]): Promise<void> {
  await evaluation.evaluate(arraysIn(trees));
}

/** Gives the event loop some turns, in which messages arrive and finalizers run: requests can be cancelled here. */
export async function giveTurns(): Promise<void> {
  await passTurns(TURNS);
}

/** Evaluates arrays and gives the event loop turns. */
export async function evaluateAndGiveTurns(...trees: readonly Tree[]): Promise<void> {
  await evaluate(...trees);
  await giveTurns();
}

/** Collects the arrays that scopes have released, so that MLX finds no intermediates and no views of caches in use. */
async function collectReleased(): Promise<void> {
  if (!takeReleased()) return;
  collectYoung();
  // Finalizers run in the event loop.
  await passTurns(1);
}
