// One step at a time: a round or a prefill chunk runs alone, and ghost text goes before generated code. A long decode
// takes a new turn for each step, so an urgent one waits for at most one step.
import { useDevice, type DeviceName } from '../models/mlx/device';
import { QueuePlace, type RequestKind } from './request/queuePlace';

const URGENCY: readonly RequestKind[] = ['inline', 'generate', 'prefetch'];
/** Somebody waits for the newest key press; so many steps of newer ones are let past, so that each gets its turn. */
const MOST_PASSED = 128;

interface Waiting {
  readonly place: QueuePlace;
  readonly start: () => void;
}

export class Scheduler {
  #held = false;
  readonly #waiting: Waiting[] = [];

  /**
   * Waits for its turn; the caller must call the returned function. Within a kind, the first to come is served first;
   * of those that people wait for, the newest.
   */
  async acquire(place = new QueuePlace()): Promise<() => void> {
    place.step();
    if (this.#held) await new Promise<void>((start) => this.#waiting.push({ place, start }));
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      // A request that continues asks again within this turn, and then is compared with the others.
      if (this.#waiting.length > 0) setImmediate(() => this.#next());
      else this.#held = false;
    };
  }

  #next(): void {
    const next = this.#first();
    if (next) this.#waiting.splice(this.#waiting.indexOf(next), 1);
    // The turn stays held while it is handed over, so that nothing can get in between.
    next?.start();
  }

  #first(): Waiting | undefined {
    const kind = URGENCY.find((each) => this.#waiting.some(({ place }) => place.kind === each));
    const row = this.#waiting
      .filter(({ place }) => place.kind === kind)
      .sort((a, b) => a.place.order - b.place.order);
    const [oldest] = row;
    if (kind !== 'inline' || oldest === undefined || oldest.place.passed >= MOST_PASSED) return oldest;
    for (const { place } of row.slice(0, -1)) place.passed += 1;
    return row.at(-1);
  }
}

/** All engines of a process share its processor. */
const scheduler = new Scheduler();

/** Waits for the turn of a step on the device of its engine; the caller must call the returned function. */
export async function turn(place: QueuePlace, device: DeviceName): Promise<() => void> {
  const release = await scheduler.acquire(place);
  useDevice(device);
  return release;
}
