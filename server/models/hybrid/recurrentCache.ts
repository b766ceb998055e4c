// The memory of one gated delta layer. It owns the arrays of its history, some of them shared with forks. Trimming
// within the last pass computes nothing: the next pass needs the state anyway and computes it then.
import { requireReach, type LayerCache } from '../decoder/layerCache';
import { dispose, keep, scope, arraysIn } from '../mlx/memory';
import * as mx from '../mlx/ops';
import { channelsOf, type DeltaSizes } from './projections';
import {
  cutTo,
  lengthOf,
  rowCount,
  shortened,
  sliceRows,
  type RecurrentHistory,
  type RecurrentRows,
  type RecurrentState,
  type StateAfter,
} from './recurrentHistory';

/** Number of caches that hold an array: a fork shares arrays with the cache that it was made from. */
const holderCount = new WeakMap<mx.MxArray, number>();

export class RecurrentCache implements LayerCache {
  /** History of the rows read; absent before the first. */
  #history: RecurrentHistory | undefined;

  constructor(
    private readonly sizes: DeltaSizes,
    /** Type of the convolution's inputs; the state is always float32. */
    private readonly dtype: mx.Dtype,
  ) {}

  get offset(): number {
    return this.#history ? lengthOf(this.#history) : 0;
  }

  /** Returns the state after all rows, computed by `after`. Call inside a scope. */
  state(after: StateAfter): RecurrentState {
    if (!this.#history) return this.#emptyState();
    const { tape, before } = this.#history;
    const last = tape.at(-1);
    return last && last.count > 0 ? after(before, sliceRows(last.rows, 0, last.count)) : before;
  }

  /**
   * Appends a pass of `count` rows. `rows` are its last rows, the only ones that can be trimmed again, and `before` is
   * the state before them. Call inside a scope.
   */
  append(count: number, before: RecurrentState, rows: RecurrentRows): void {
    const history = this.#history;
    const recorded = rowCount(rows);
    const pass = { rows, count: recorded };
    if (history && recorded === count) {
      const { base, tape } = shortened(history);
      return this.#hold({ older: history.older, base, tape: [...tape, pass], before });
    }
    // A new tape begins: this is the first pass, or only its last rows are recorded. A mark is a state that a trim can
    // return to. Keep one of the two earlier marks: `base`, which is the later one, or `older` if trims have returned
    // to that one alone.
    const marks = [history?.base, history?.older].filter((mark) => mark && mark.length > 0);
    const older = marks.find((mark) => mark?.wasReturnedTo) ?? marks[0];
    const base = { length: this.offset + count - recorded, state: before, wasReturnedTo: false };
    this.#hold({ older, base, tape: [pass], before });
  }

  reachable(length: number): number {
    const { base, older } = this.#history ?? {};
    if (base && length >= base.length) return Math.min(length, this.offset);
    return older && older.length <= length ? older.length : 0;
  }

  trimTo(length: number): void {
    scope((): undefined => {
      this.#hold(this.#cutTo(length));
    });
  }

  fork(length: number): RecurrentCache {
    const copy = new RecurrentCache(this.sizes, this.dtype);
    scope((): undefined => {
      copy.#hold(this.#cutTo(length));
    });
    return copy;
  }

  arrays(): mx.MxArray[] {
    return [...new Set(arraysIn(this.#history))];
  }

  dispose(): void {
    this.#hold(undefined);
  }

  #cutTo(length: number): RecurrentHistory | undefined {
    requireReach(this, length);
    return this.#history && cutTo(this.#history, length);
  }

  /** Replaces the history, and frees the arrays that no cache holds any more. */
  #hold(history: RecurrentHistory | undefined): void {
    const before = this.arrays();
    this.#history = history;
    for (const array of this.arrays()) {
      const holders = holderCount.get(array) ?? 0;
      holderCount.set(array, holders + 1);
      if (holders === 0) keep(array);
    }
    for (const array of before) {
      const holders = holderCount.get(array) ?? 0;
      holderCount.set(array, holders - 1);
      if (holders === 1) dispose(array);
    }
  }

  #emptyState(): RecurrentState {
    const { linearNumKeyHeads: keyHeads, linearNumValueHeads: valueHeads } = this.sizes;
    const { linearKeyHeadDim, linearValueHeadDim, linearConvKernelDim: taps } = this.sizes;
    return {
      memory: mx.zeros([keyHeads, valueHeads / keyHeads, linearKeyHeadDim, linearValueHeadDim], mx.float32),
      inputs: mx.zeros([1, taps - 1, channelsOf(this.sizes)], this.dtype),
    };
  }
}
