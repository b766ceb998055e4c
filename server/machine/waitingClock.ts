// Measures the time spent waiting for another program. It ticks only while it waits, so that neither a pause of the
// reader nor a sleep of this machine counts as silence of the other program.

/** Number of ticks until the limit. A sleep of this machine, however long, counts as at most one tick. */
const TICKS = 10;

export class WaitingClock {
  #waitedMs = 0;

  constructor(
    /** Maximum time to wait for one answer. */
    readonly limitMs: number,
  ) {}

  /** Time of all waits so far. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Awaits an answer, and calls `onLimit` if it takes `limitMs`. */
  async wait<T>(answer: Promise<T>, onLimit: () => void): Promise<T> {
    const tickMs = this.limitMs / TICKS;
    const startedAt = performance.now();
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === TICKS) onLimit();
    }, tickMs);
    try {
      return await answer;
    } finally {
      clearInterval(ticking);
      this.#waitedMs += Math.min(performance.now() - startedAt, (ticks + 1) * tickMs);
    }
  }
}
