// Turns of the event loop: long work in parts lets other requests of the process go on between them.
import { setImmediate } from 'node:timers/promises';

/** Work of this length holds nothing up that a person would notice. */
const SLICE_MS = 10;

/** The time slice of one event loop, which all work on it shares. */
class Turns {
  #sliceBegan = 0;

  async next(): Promise<void> {
    if (performance.now() - this.#sliceBegan <= SLICE_MS) return;
    await setImmediate();
    this.#sliceBegan = performance.now();
  }
}

const turns = new Turns();

/** Lets other work of this event loop run, unless it had its turn less than some milliseconds ago. */
export async function othersTurn(): Promise<void> {
  await turns.next();
}
