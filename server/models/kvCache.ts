// One layer's attention memory: two preallocated buffers, a length, and the position of the first row held, which is 0
// unless rows see a window only. Appending writes in place, trimming only moves the length. Knows nothing about tokens.
import { requireReach, type LayerCache } from './layerCache';
import { dispose, keep, scope } from './memory';
import * as mx from './ops';

/** Buffers grow in steps of this many rows. */
const STEP = 256;
/** After older rows were dropped the cache can still be cut back by so many: a long suggestion and its drafts. */
const HISTORY = 512;
/** At least so many rows come in before the next drop, so that a row is copied once or twice in its life. */
const MIN_SLACK = 512;

export interface KVCacheShape {
  readonly heads: number;
  readonly headDim: number;
  readonly dtype: mx.Dtype;
  /** Rows that a row sees, itself included; all where it is left out. */
  readonly window?: number | undefined;
}

export class KVCache implements LayerCache {
  /** [1, heads, capacity, headDim]; rows from `#held` on are garbage. Absent until the first append. */
  keys: mx.MxArray | undefined;
  values: mx.MxArray | undefined;
  /** Valid rows of the buffers, and the position of the first of them. */
  #held = 0;
  #start = 0;
  readonly #window: number;
  /** Rows that stay when older ones are dropped, and how many are held before that. */
  readonly #kept: number;
  readonly #capacity: number;

  constructor(
    readonly shape: KVCacheShape,
    /** Rows to allocate at first; a good guess avoids copies later. */
    private readonly expectedRows = STEP,
  ) {
    this.#window = shape.window ?? Infinity;
    this.#kept = this.#window - 1 + HISTORY;
    this.#capacity = this.#kept + Math.max(MIN_SLACK, Math.floor(this.#window / 2));
  }

  /** Number of rows ever appended and not trimmed, which is the position of the next one. */
  get offset(): number {
    return this.#start + this.#held;
  }

  /**
   * Appends `keys` and `values` [1, heads, rows, headDim] and returns views of what these rows see: themselves and, of
   * those before, the `window` - 1 newest. Call inside a scope: a view that outlives the step makes the next append
   * copy the buffer.
   */
  append(keys: mx.MxArray, values: mx.MxArray): { keys: mx.MxArray; values: mx.MxArray } {
    const rows = keys.shape[2] ?? 0;
    if (this.#held + rows > this.#capacity) this.#dropOldest();
    const first = Math.max(0, this.#held - this.#window + 1);
    const end = this.#held + rows;
    const buffers = this.#reserve(end);
    mx.assign(buffers.keys, 2, this.#held, keys);
    mx.assign(buffers.values, 2, this.#held, values);
    this.#held = end;
    return { keys: mx.slice(buffers.keys, 2, first, end), values: mx.slice(buffers.values, 2, first, end) };
  }

  /** A length is reachable when all that a row after it sees is still held. */
  reachable(length: number): number {
    const earliest = this.#start === 0 ? 0 : this.#start + this.#window - 1;
    const within = Math.min(length, this.offset);
    return within >= earliest ? within : 0;
  }

  /** Forgets all rows from `length` on. O(1). */
  trimTo(length: number): void {
    requireReach(this, length);
    if (length === 0) this.#start = 0;
    this.#held = length - this.#start;
  }

  /** A copy of the first `length` rows, as far as they are held, in buffers of its own. */
  fork(length: number, expectedRows: number): KVCache {
    requireReach(this, length);
    return length === 0
      ? new KVCache(this.shape, expectedRows)
      : this.#copy(0, length - this.#start, expectedRows);
  }

  arrays(): mx.MxArray[] {
    return [this.keys, this.values].filter((array) => array !== undefined);
  }

  dispose(): void {
    dispose(this.keys, this.values);
    this.keys = this.values = undefined;
    this.#held = this.#start = 0;
  }

  /** Drops the rows that nothing needs any more, into buffers of the usual size. */
  #dropOldest(): void {
    const dropped = this.#held - this.#kept;
    if (dropped <= 0) return;
    const newest = this.#copy(dropped, this.#held, Infinity);
    this.dispose();
    this.keys = newest.keys;
    this.values = newest.values;
    this.#held = newest.#held;
    this.#start = newest.#start;
  }

  /** Of the rows held from `first` to `end` - 1, with room for all up to the position `expectedRows`. */
  #copy(first: number, end: number, expectedRows: number): KVCache {
    const start = this.#start + first;
    const copy = new KVCache(this.shape, Math.max(0, expectedRows - start));
    const { keys, values } = this;
    if (keys && values) {
      scope(() => {
        copy.append(mx.slice(keys, 2, first, end), mx.slice(values, 2, first, end));
        return undefined;
      });
    }
    copy.#start = start;
    return copy;
  }

  #reserve(rows: number): { keys: mx.MxArray; values: mx.MxArray } {
    if (this.keys && this.values && rows <= (this.keys.shape[2] ?? 0)) {
      return { keys: this.keys, values: this.values };
    }
    const wanted = Math.max(rows, Math.min(this.expectedRows, this.#capacity));
    const capacity = Math.ceil(wanted / STEP) * STEP;
    const grown = scope(() => ({
      keys: this.#grow(this.keys, capacity),
      values: this.#grow(this.values, capacity),
    }));
    dispose(this.keys, this.values);
    this.keys = keep(grown.keys);
    this.values = keep(grown.values);
    return grown;
  }

  #grow(buffer: mx.MxArray | undefined, capacity: number): mx.MxArray {
    const { heads, headDim, dtype } = this.shape;
    if (buffer === undefined) return mx.zeros([1, heads, capacity, headDim], dtype);
    const missing = capacity - (buffer.shape[2] ?? 0);
    return mx.concatenate([buffer, mx.zeros([1, heads, missing, headDim], dtype)], 2);
  }
}
