// One step at a time: a verify round or a prefill chunk runs alone, and ghost text goes before generated code.
// A long decode takes its turn anew for each step, so an urgent one waits for one step at most.

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
      // A request that goes on asks again within this turn, and then comes before the less urgent ones.
      if (this.#waiting.length > 0) setImmediate(() => this.#next());
      else this.#held = false;
    };
  }

  #next(): void {
    const kind = URGENCY.find((each) => this.#waiting.some((waiting) => waiting.kind === each));
    const [next] = this.#waiting.splice(
      Math.max(
        this.#waiting.findIndex((each) => each.kind === kind),
        0,
      ),
      1,
    );
    // The lane stays held while it passes on, so that nobody can step in between.
    next?.start();
  }
}
