// Times of one step of the engine: laps, and the part of them that JavaScript spends building graphs.

/** Create one for each step, because other work runs between two steps. */
export class Stopwatch {
  #lapStart = performance.now();
  #buildStart = this.#lapStart;
  /** Milliseconds spent building graphs, over all laps. */
  buildMs = 0;

  /** Counts the time since the start of the lap, or since the last call in it, as graph building. */
  endBuild(): void {
    const now = performance.now();
    this.buildMs += now - this.#buildStart;
    this.#buildStart = now;
  }

  /** Returns the milliseconds since the last lap and begins the next one. */
  lap(): number {
    const now = performance.now();
    const elapsed = now - this.#lapStart;
    this.#lapStart = this.#buildStart = now;
    return elapsed;
  }
}
