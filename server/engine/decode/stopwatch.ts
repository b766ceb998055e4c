// Times of a round: laps, and the part of them that JavaScript spends building graphs.

/** Times one step of the engine. Start a new one for each step, because other work runs between two steps. */
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
