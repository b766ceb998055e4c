// Times of a round: laps, and the part of them that JavaScript spends building graphs.

/** Runs only while the engine works: start a new one for each step, as the event loop takes turns in between. */
export class Stopwatch {
  #lapStart = performance.now();
  #buildStart = this.#lapStart;
  /** Milliseconds spent building graphs, over all laps. */
  buildMs = 0;

  /** Ends a stretch of graph building, which began with the lap. */
  endBuild(): void {
    this.buildMs += performance.now() - this.#buildStart;
  }

  /** Returns the milliseconds since the last lap and begins the next one. */
  lap(): number {
    const now = performance.now();
    const elapsed = now - this.#lapStart;
    this.#lapStart = this.#buildStart = now;
    return elapsed;
  }
}
