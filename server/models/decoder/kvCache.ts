// The keys and values of one attention layer: two preallocated buffers, a length, and the position of the first row
// held, which is 0 unless the layer has a window. Appending writes in place; trimming only changes the length.
import { arraysIn, dispose, keep, scope } from '../mlx/memory';
import * as mx from '../mlx/ops';
import { allocatedRows, ROW_STEP, windowRows, type WindowRows } from '../checkpoint/windowRows';
import { requireReach, type LayerCache } from './layerCache';

export interface KVCacheShape {
  readonly heads: number;
  readonly headDim: number;
  readonly dtype: mx.Dtype;
  /** Rows that a row attends to, itself included; all by default. */
  readonly window?: number | undefined;
}

/** The first buffers have a multiple of this many rows. */
const FIRST_STEP = 32;

export class KVCache implements LayerCache {
  /** Buffers [1, heads, allocated rows, headDim], of which `#held` rows are valid. Absent until the first append. */
  #buffers: mx.KeysValues | undefined;
  #held = 0;
  /** Position of the first row held. */
  #start = 0;
  readonly #window: number;
  readonly #rows: WindowRows;

  constructor(
    readonly shape: KVCacheShape,
    /** Rows to allocate initially; a good guess avoids copies later. */
    private readonly expectedRows = ROW_STEP,
  ) {
    this.#window = shape.window ?? Infinity;
    this.#rows = windowRows(this.#window);
  }

  /** Number of rows appended and not trimmed, which is the position of the next row. */
  get offset(): number {
    return this.#start + this.#held;
  }

  /**
   * Appends `keys` and `values` [1, heads, rows, headDim]. Returns views of the last `newest` rows, by default those
   * appended, and of the `window` - 1 rows before them: all that these rows attend to. Call inside a scope: a view that
   * outlives the step makes the next append copy the buffer.
   */
  append(keys: mx.MxArray, values: mx.MxArray, newest?: number): mx.KeysValues {
    const rows = keys.shape[2] ?? 0;
    const buffers = this.#reserve(rows);
    const region = { axis: 2, from: this.#held, to: this.#held + rows };
    mx.assign(buffers.keys, region, keys);
    mx.assign(buffers.values, region, values);
    this.#held = region.to;
    return this.seenBy(newest ?? rows);
  }

  /** Returns the same views as `append` for the newest `rows`, for layers that share this cache. */
  seenBy(rows: number): mx.KeysValues {
    if (!this.#buffers) throw new RangeError('Expected a cache with rows, got an empty one');
    const { keys, values } = this.#buffers;
    const first = Math.max(0, this.#held - rows - this.#window + 1);
    return { keys: mx.slice(keys, 2, first, this.#held), values: mx.slice(values, 2, first, this.#held) };
  }

  /**
   * Returns the smaller of `length` and `offset`, provided that all rows that the next row would attend to are still
   * held; otherwise 0.
   */
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

  /**
   * Copies the first `length` rows, as far as they are held, into buffers with room for `expectedRows` if that is more.
   */
  fork(length: number, expectedRows: number): KVCache {
    requireReach(this, length);
    const start = length === 0 ? 0 : this.#start;
    const rows = length - start;
    const copy = new KVCache(this.shape, Math.max(0, expectedRows - start));
    const allocated = Math.max(rows, this.#firstAllocation(copy.expectedRows));
    if (length > 0) copy.#hold(this.#copied(0, rows, allocated), start, rows);
    return copy;
  }

  arrays(): mx.MxArray[] {
    return arraysIn(this.#buffers);
  }

  dispose(): void {
    this.#hold(undefined, 0, 0);
  }

  /** Makes room for `rows` more. In a layer with a window, drops old rows once the buffers exceed their capacity. */
  #reserve(rows: number): mx.KeysValues {
    const dropped = this.#held + rows > this.#rows.capacity ? Math.max(0, this.#held - this.#rows.kept) : 0;
    const held = this.#held - dropped;
    const fits = held + rows <= (this.#buffers?.keys.shape[2] ?? 0);
    if (this.#buffers && dropped === 0 && fits) return this.#buffers;
    const initial = this.#buffers ? 0 : this.#firstAllocation(this.expectedRows);
    const stepped = allocatedRows(dropped > 0 ? Math.max(held + rows, this.#rows.capacity) : held + rows);
    const larger = this.#copied(dropped, held, initial >= held + rows ? initial : stepped);
    this.#hold(larger, this.#start + dropped, held);
    return larger;
  }

  /** Returns the rows to allocate for a text of `expected` rows, in small steps: unused rows take memory too. */
  #firstAllocation(expected: number): number {
    const rows = Math.ceil(expected / FIRST_STEP) * FIRST_STEP;
    return Math.min(rows, allocatedRows(this.#rows.capacity));
  }

  /** Copies `count` rows from `first` on into new buffers of `allocated` rows. */
  #copied(first: number, count: number, allocated: number): mx.KeysValues {
    const { heads, headDim, dtype } = this.shape;
    const copied = (buffer: mx.MxArray | undefined): mx.MxArray => {
      const rows = mx.zeros([1, heads, allocated, headDim], dtype);
      if (buffer && count > 0)
        mx.assign(rows, { axis: 2, from: 0, to: count }, mx.slice(buffer, 2, first, first + count));
      return rows;
    };
    return scope(() => ({ keys: copied(this.#buffers?.keys), values: copied(this.#buffers?.values) }));
  }

  /** Replaces the buffers and frees the previous ones. */
  #hold(buffers: mx.KeysValues | undefined, start: number, held: number): void {
    for (const array of arraysIn(buffers)) keep(array);
    dispose(this.#buffers);
    this.#buffers = buffers;
    this.#start = start;
    this.#held = held;
  }
}
