// One layer's attention memory: two preallocated buffers and a length. Appending writes in place, trimming
// only moves the length. Knows nothing about tokens.
import type { LayerCache } from './layerCache';
import { dispose, keep, scope } from './memory';
import * as mx from './ops';

/** Buffers grow in steps of this many rows. */
const STEP = 256;

export interface KVCacheShape {
  readonly heads: number;
  readonly headDim: number;
  readonly dtype: mx.Dtype;
}

export class KVCache implements LayerCache {
  /** [1, heads, capacity, headDim]; rows from `offset` on are garbage. Absent until the first append. */
  keys: mx.MxArray | undefined;
  values: mx.MxArray | undefined;
  /** Number of valid rows, which is the position of the next one. */
  offset = 0;

  constructor(
    readonly shape: KVCacheShape,
    /** Rows to allocate at first; a good guess avoids copies later. */
    private readonly expectedRows = STEP,
  ) {}

  /**
   * Appends `keys` and `values` [1, heads, rows, headDim] and returns views of all valid rows, or of those from
   * `first` on. Call inside a scope: a view that outlives the step makes the next append copy the buffer.
   */
  append(keys: mx.MxArray, values: mx.MxArray, first = 0): { keys: mx.MxArray; values: mx.MxArray } {
    const end = this.offset + (keys.shape[2] ?? 0);
    const buffers = this.#reserve(end);
    mx.assign(buffers.keys, 2, this.offset, keys);
    mx.assign(buffers.values, 2, this.offset, values);
    this.offset = end;
    return { keys: mx.slice(buffers.keys, 2, first, end), values: mx.slice(buffers.values, 2, first, end) };
  }

  reachable(length: number): number {
    return Math.min(length, this.offset);
  }

  /** Forgets all rows from `length` on. O(1). */
  trimTo(length: number): void {
    if (length < 0 || length > this.offset) {
      throw new RangeError(`Expected a length of 0 to ${String(this.offset)}, got ${String(length)}`);
    }
    this.offset = length;
  }

  /** A copy of rows `first` to `length` - 1 in buffers of its own, with room for `expectedRows`. */
  fork(length: number, expectedRows: number, first = 0): KVCache {
    const copy = new KVCache(this.shape, expectedRows);
    const { keys, values } = this;
    if (keys && values && length > first) {
      scope(() => {
        copy.append(mx.slice(keys, 2, first, length), mx.slice(values, 2, first, length));
        return undefined;
      });
    }
    return copy;
  }

  arrays(): mx.MxArray[] {
    return [this.keys, this.values].filter((array) => array !== undefined);
  }

  dispose(): void {
    dispose(this.keys, this.values);
    this.keys = this.values = undefined;
    this.offset = 0;
  }

  #reserve(rows: number): { keys: mx.MxArray; values: mx.MxArray } {
    if (this.keys && this.values && rows <= (this.keys.shape[2] ?? 0)) {
      return { keys: this.keys, values: this.values };
    }
    const capacity = Math.ceil(Math.max(rows, this.expectedRows) / STEP) * STEP;
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
