// Yields to the event loop, so that long work in small parts does not block other requests of the process.
import { setImmediate } from 'node:timers/promises';

/** Short enough for a person not to notice a delay. */
const SLICE_MS = 10;

/** Time slice shared by all work on one event loop. */
class Turns {
  #sliceBegan = 0;

  async next(): Promise<void> {
    if (performance.now() - this.#sliceBegan <= SLICE_MS) return;
    await setImmediate();
    this.#sliceBegan = performance.now();
  }
}

const turns = new Turns();

/** Lets other work of this event loop run, unless that had its turn less than 10 ms ago. */
export async function yieldTurn(): Promise<void> {
  await turns.next();
}
