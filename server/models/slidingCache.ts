// One layer's attention memory where a row sees only the newest `window` rows, itself included: a plain cache of
// the rows that may still be needed, and the position of the first of them. Knows nothing about tokens.
import { KVCache, type KVCacheShape } from './kvCache';
import type { LayerCache } from './layerCache';
import type { MxArray } from './mlxCore';

/** After older rows were dropped the cache can still be cut back by so many: a long suggestion and its drafts. */
const HISTORY = 512;
/** At least so many rows come in before the next drop, so that a row is copied once or twice in its life. */
const MIN_SLACK = 512;

export interface SlidingCacheShape extends KVCacheShape {
  /** Rows that a row sees, itself included. */
  readonly window: number;
}

export class SlidingCache implements LayerCache {
  #rows: KVCache;
  /** Position of the first row held. */
  #start = 0;
  readonly #kept: number;
  readonly #capacity: number;

  constructor(
    readonly shape: SlidingCacheShape,
    /** Rows to allocate at first; never more than a full cache has. */
    expectedRows?: number,
  ) {
    this.#kept = shape.window - 1 + HISTORY;
    this.#capacity = this.#kept + Math.max(MIN_SLACK, shape.window >> 1);
    this.#rows = new KVCache(shape, expectedRows && Math.min(expectedRows, this.#capacity));
  }

  /** Number of rows ever appended and not trimmed, which is the position of the next one. */
  get offset(): number {
    return this.#start + this.#rows.offset;
  }

  /** A length is reachable when all that a row after it sees is still held. */
  reachable(length: number): number {
    const earliest = this.#start === 0 ? 0 : this.#start + this.shape.window - 1;
    const within = Math.min(length, this.offset);
    return within >= earliest ? within : 0;
  }

  /**
   * Appends `keys` and `values` [1, heads, rows, headDim] and returns views of what these rows see: themselves and
   * the `window` - 1 rows before the first of them. Call inside a scope, as for a KVCache.
   */
  append(keys: MxArray, values: MxArray): { keys: MxArray; values: MxArray } {
    if (this.#rows.offset + (keys.shape[2] ?? 0) > this.#capacity) this.#compact();
    return this.#rows.append(keys, values, Math.max(0, this.#rows.offset - this.shape.window + 1));
  }

  /** O(1). */
  trimTo(length: number): void {
    this.#requireReach(length);
    if (length === 0) this.#start = 0;
    this.#rows.trimTo(length - this.#start);
  }

  fork(length: number, expectedRows: number): SlidingCache {
    this.#requireReach(length);
    if (length === 0) return new SlidingCache(this.shape, expectedRows);
    const copy = new SlidingCache(this.shape);
    const room = Math.min(Math.max(0, expectedRows - this.#start), this.#capacity);
    copy.#rows = this.#rows.fork(length - this.#start, room);
    copy.#start = this.#start;
    return copy;
  }

  arrays(): MxArray[] {
    return this.#rows.arrays();
  }

  dispose(): void {
    this.#rows.dispose();
    this.#start = 0;
  }

  /** Drops the rows that nothing needs any more, into a buffer of the usual size. */
  #compact(): void {
    const dropped = this.#rows.offset - this.#kept;
    if (dropped <= 0) return;
    const newest = this.#rows.fork(this.#rows.offset, this.#capacity, dropped);
    this.#rows.dispose();
    this.#rows = newest;
    this.#start += dropped;
  }

  #requireReach(length: number): void {
    if (this.reachable(length) === length) return;
    throw new RangeError(
      `Expected a length that can be reached from ${String(this.offset)}, got ${String(length)}`,
    );
  }
}
