// What a round starts with, and its stopwatch.
import type { DecodeMemory } from './decodeMemory';
import type { Place, Sampler } from '../sampling/sampler';

/** What a round begins with. */
export interface RoundStart {
  readonly memory: DecodeMemory;
  /** The committed tokens that the memory does not hold: the anchor, and before it maybe the end of a prompt. */
  readonly uncached: readonly number[];
  readonly sampler: Sampler;
  /** Where the text stands after the anchor. */
  readonly at: Place;
  /** Drafts end before the first one that its drafter is less sure of; absent lets all pass. */
  readonly confidenceThreshold?: number | undefined;
  /** Runs while the engine works, so not while the event loop has its turns. */
  readonly watch: Stopwatch;
}

/** The two times of a round: laps, and the part of them spent in building graphs in JavaScript. */
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
