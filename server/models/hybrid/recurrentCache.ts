// The memory of one gated delta layer: owns the arrays of its history. Nothing is computed when rows are taken back:
// the next pass needs the state anyway and computes it then.
import { requireReach, type LayerCache } from '../layerCache';
import { dispose, keep, scope } from '../memory';
import * as mx from '../ops';
import { channelsOf, type DeltaSizes } from './projections';
import {
  afterPass,
  arraysOf,
  currentState,
  cutTo,
  lengthOf,
  mapArrays,
  nearestLength,
} from './recurrentHistory';
import type { RecurrentHistory, RecurrentRows, RecurrentState } from './recurrentHistory';

export class RecurrentCache implements LayerCache {
  /** Absent where nothing has been read. */
  #history: RecurrentHistory | undefined;

  constructor(
    private readonly sizes: DeltaSizes,
    /** Of the inputs; the state is always float32. */
    private readonly dtype: mx.Dtype,
  ) {}

  get offset(): number {
    return this.#history ? lengthOf(this.#history) : 0;
  }

  /** The state after all rows. Call inside a scope. */
  state(): RecurrentState {
    return this.#history ? currentState(this.#history) : this.#nothing();
  }

  /**
   * Remembers a pass of `count` rows of which the last ones are `rows`, and `before` the state before these. Fewer
   * than all are enough for a pass of which no row will be taken back but these. Call inside a scope.
   */
  append(count: number, before: RecurrentState, rows: RecurrentRows): void {
    this.#hold(afterPass(this.#history, count, before, rows));
  }

  reachable(length: number): number {
    return this.#history ? nearestLength(this.#history, length) : 0;
  }

  trimTo(length: number): void {
    scope(() => {
      this.#hold(this.#cutTo(length));
      return undefined;
    });
  }

  fork(length: number): RecurrentCache {
    const copy = new RecurrentCache(this.sizes, this.dtype);
    scope(() => {
      const history = this.#cutTo(length);
      copy.#hold(history && aliased(history));
      return undefined;
    });
    return copy;
  }

  arrays(): mx.MxArray[] {
    return arraysOf(this.#history);
  }

  dispose(): void {
    this.#hold(undefined);
  }

  #cutTo(length: number): RecurrentHistory | undefined {
    requireReach(this, length);
    return this.#history && cutTo(this.#history, length);
  }

  /** Takes the place of what was remembered before; frees what is not needed any more. */
  #hold(history: RecurrentHistory | undefined): void {
    const before = new Set(this.arrays());
    const after = new Set(arraysOf(history));
    for (const array of after) if (!before.has(array)) keep(array);
    dispose([...before].filter((array) => !after.has(array)));
    this.#history = history;
  }

  #nothing(): RecurrentState {
    const { linearNumKeyHeads: keyHeads, linearNumValueHeads: valueHeads } = this.sizes;
    const { linearKeyHeadDim, linearValueHeadDim, linearConvKernelDim: taps } = this.sizes;
    return {
      memory: mx.zeros([keyHeads, valueHeads / keyHeads, linearKeyHeadDim, linearValueHeadDim], mx.float32),
      inputs: mx.zeros([1, taps - 1, channelsOf(this.sizes)], this.dtype),
    };
  }
}

/** On handles of its own, as each owner frees its handles; the buffers are the same. */
function aliased(history: RecurrentHistory): RecurrentHistory {
  const aliases = new Map<mx.MxArray, mx.MxArray>();
  for (const array of arraysOf(history)) aliases.set(array, mx.reshape(array, ...array.shape));
  return mapArrays(history, (array) => aliases.get(array) ?? array);
}
