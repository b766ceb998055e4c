// One layer's attention memory: two preallocated buffers, a length, and the position of the first row held, which is 0
// unless rows see only a window. Appending writes in place, trimming only moves the length. Knows nothing about tokens.
import { arraysIn, dispose, keep, scope } from '../mlx/memory';
import * as mx from '../mlx/ops';
import { allocatedRows, ROW_STEP, windowRows, type WindowRows } from '../checkpoint/windowRows';
import { requireReach, type LayerCache } from './layerCache';

export interface KVCacheShape {
  readonly heads: number;
  readonly headDim: number;
  readonly dtype: mx.Dtype;
  /** Rows that a row sees, itself included; all by default. */
  readonly window?: number | undefined;
}

/** First buffers are as large as expected, rounded up to this many rows. */
const FIRST_STEP = 32;

/** [1, heads, rows, headDim] each. */
export type CachedRows = Readonly<Record<'keys' | 'values', mx.MxArray>>;

export class KVCache implements LayerCache {
  /** Rows from `#held` on are garbage. Absent until the first append. */
  #buffers: CachedRows | undefined;
  /** Valid rows of the buffers, and the position of the first of them. */
  #held = 0;
  #start = 0;
  readonly #window: number;
  readonly #rows: WindowRows;

  constructor(
    readonly shape: KVCacheShape,
    /** Rows to allocate at first; a good guess avoids copies later. */
    private readonly expectedRows = ROW_STEP,
  ) {
    this.#window = shape.window ?? Infinity;
    this.#rows = windowRows(this.#window);
  }

  /** Number of rows ever appended and not trimmed, which is the position of the next one. */
  get offset(): number {
    return this.#start + this.#held;
  }

  /**
   * Appends `keys` and `values` [1, heads, rows, headDim] and returns views of what these rows, or only the `newest` of
   * them, see: themselves and, of those before, the `window` - 1 newest. Call inside a scope: a view that outlives the step makes the next append
   * copy the buffer.
   */
  append(keys: mx.MxArray, values: mx.MxArray, newest?: number): CachedRows {
    const rows = keys.shape[2] ?? 0;
    const buffers = this.#reserve(rows);
    const end = this.#held + rows;
    mx.assign(buffers.keys, 2, this.#held, end, keys);
    mx.assign(buffers.values, 2, this.#held, end, values);
    this.#held = end;
    return this.seenBy(newest ?? rows);
  }

  /** The same views for the newest `rows`, once they are appended: for layers that share this memory. */
  seenBy(rows: number): CachedRows {
    const { keys, values } = this.#buffers ?? this.#reserve(rows);
    const first = Math.max(0, this.#held - rows - this.#window + 1);
    return { keys: mx.slice(keys, 2, first, this.#held), values: mx.slice(values, 2, first, this.#held) };
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

  /** Copies the first `length` rows, as far as they are held; without more rows to expect, into buffers of that size. */
  fork(length: number, expectedRows: number): KVCache {
    requireReach(this, length);
    const start = length === 0 ? 0 : this.#start;
    const rows = length - start;
    const copy = new KVCache(this.shape, Math.max(0, expectedRows - start));
    const allocated = Math.max(rows, this.#firstAllocation(copy.expectedRows));
    if (length > 0) copy.#hold(this.#moved(0, rows, allocated), start, rows);
    return copy;
  }

  arrays(): mx.MxArray[] {
    return arraysIn(this.#buffers);
  }

  dispose(): void {
    this.#hold(undefined, 0, 0);
  }

  /**
   * Buffers with room for `rows` more. Where they would outgrow the usual size, rows that nothing needs are dropped.
   */
  #reserve(rows: number): CachedRows {
    const dropped = this.#held + rows > this.#rows.capacity ? Math.max(0, this.#held - this.#rows.kept) : 0;
    const held = this.#held - dropped;
    const fits = held + rows <= (this.#buffers?.keys.shape[2] ?? 0);
    if (this.#buffers && dropped === 0 && fits) return this.#buffers;
    const wanted = this.#buffers ? 0 : this.#firstAllocation(this.expectedRows);
    const stepped = allocatedRows(dropped > 0 ? Math.max(held + rows, this.#rows.capacity) : held + rows);
    const larger = this.#moved(dropped, held, wanted >= held + rows ? wanted : stepped);
    this.#hold(larger, this.#start + dropped, held);
    return larger;
  }

  /** Rows for a text of `expected` rows, in small steps: those that stay empty take memory all the same. */
  #firstAllocation(expected: number): number {
    const rows = Math.ceil(expected / FIRST_STEP) * FIRST_STEP;
    return Math.min(rows, allocatedRows(this.#rows.capacity));
  }

  /** Copies `count` rows from `first` on into new buffers of `allocated` rows. */
  #moved(first: number, count: number, allocated: number): CachedRows {
    const { heads, headDim, dtype } = this.shape;
    const moved = (buffer: mx.MxArray | undefined): mx.MxArray => {
      const rows = mx.zeros([1, heads, allocated, headDim], dtype);
      if (buffer && count > 0) mx.assign(rows, 2, 0, count, mx.slice(buffer, 2, first, first + count));
      return rows;
    };
    return scope(() => ({ keys: moved(this.#buffers?.keys), values: moved(this.#buffers?.values) }));
  }

  #hold(buffers: CachedRows | undefined, start: number, held: number): void {
    for (const array of arraysIn(buffers)) keep(array);
    dispose(this.#buffers);
    this.#buffers = buffers;
    this.#start = start;
    this.#held = held;
  }
}
