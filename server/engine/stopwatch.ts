// The two times of a round: laps, and the part of them spent in building graphs in JavaScript.

export class Stopwatch {
  #lapStart = performance.now();
  #buildStart = this.#lapStart;
  buildMs = 0;

  /** Ends a stretch of graph building. */
  built(): void {
    this.buildMs += performance.now() - this.#buildStart;
  }

  /** Milliseconds since the last lap. */
  lap(): number {
    const now = performance.now();
    const elapsed = now - this.#lapStart;
    this.#lapStart = this.#buildStart = now;
    return elapsed;
  }
}
