// Gives turns to the event loop, so that long work in small parts does not block other requests of the process.
import { setImmediate } from 'node:timers/promises';

/** Time (ms) after which work yields; users do not notice such a delay. */
const SLICE_MS = 10;

/** The time slice that all work on one event loop shares. */
class Turns {
  #sliceBegan = 0;

  async next(): Promise<void> {
    if (performance.now() - this.#sliceBegan <= SLICE_MS) return;
    await setImmediate();
    this.#sliceBegan = performance.now();
  }
}

const turns = new Turns();

/** Lets other work on this event loop run, unless it has run less than 10 ms ago. */
export async function yieldTurn(): Promise<void> {
  await turns.next();
}

/**
 * Waits for turns of the event loop, in which messages arrive and finalizers run. A message takes several turns from the
 * pipe to its handler, and so does an answer; a turn without work takes a microsecond.
 */
export async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}
