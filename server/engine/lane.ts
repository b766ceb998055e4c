// One step at a time: a round or a prefill chunk runs alone, and ghost text goes before generated code. A long decode
// takes a new turn for each step, so an urgent one waits for at most one step.
import { useDevice, type DeviceName } from '../models/device';

/** In order of urgency. */
export type LaneKind = 'inline' | 'generate' | 'prefetch';

const URGENCY: readonly LaneKind[] = ['inline', 'generate', 'prefetch'];

interface Waiting {
  readonly kind: LaneKind;
  readonly start: () => void;
}

export class Lane {
  #held = false;
  readonly #waiting: Waiting[] = [];

  /** Waits for its turn, first come first served within a kind; the caller must call the returned function. */
  async acquire(kind: LaneKind = 'generate'): Promise<() => void> {
    if (this.#held) await new Promise<void>((start) => this.#waiting.push({ kind, start }));
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      // A request that continues asks again within this turn, and then comes before the less urgent ones.
      if (this.#waiting.length > 0) setImmediate(() => this.#next());
      else this.#held = false;
    };
  }

  #next(): void {
    const kind = URGENCY.find((each) => this.#waiting.some((waiting) => waiting.kind === each));
    const index = this.#waiting.findIndex((waiting) => waiting.kind === kind);
    const [next] = this.#waiting.splice(Math.max(index, 0), 1);
    // The lane stays held while it is handed over, so that nothing can get in between.
    next?.start();
  }
}

/** All engines of a process share its processor. */
const lane = new Lane();

/** Waits for the turn of a step on the device of its engine; the caller must call the returned function. */
export async function turn(kind: LaneKind, device: DeviceName): Promise<() => void> {
  const release = await lane.acquire(kind);
  useDevice(device);
  return release;
}
