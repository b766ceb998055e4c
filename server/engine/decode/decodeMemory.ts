// Memory of one text: the target's caches and the drafters' contexts, always of the same length. A decode borrows it
// from the prompt cache and returns it.
import type { Drafter, DraftState } from '../../models/drafters/drafter';
import type { LayerCache } from '../../models/decoder/layerCache';
import type { MxArray } from '../../models/mlx/addonTypes';
import { begin } from '../../models/mlx/evaluation';
import type { TargetModel } from '../../models/decoder/target';

/** Share of used bytes above which memory is not compacted: the copy costs time and leaves gaps between allocations. */
const MIN_USED_SHARE = 0.8;

export class DecodeMemory {
  private constructor(
    readonly target: TargetModel,
    readonly drafters: readonly Drafter[],
    readonly caches: readonly LayerCache[],
    /** One state per drafter. */
    readonly draftStates: readonly DraftState[],
  ) {}

  /** Creates empty memory; `expectedRows` is a hint for the first allocation. */
  static empty(target: TargetModel, drafters: readonly Drafter[], expectedRows: number): DecodeMemory {
    const draftStates = drafters.map((drafter) => drafter.newState(target, expectedRows));
    return new DecodeMemory(target, drafters, target.newCaches(expectedRows), draftStates);
  }

  get #parts() {
    return [...this.caches, ...this.draftStates];
  }

  /** Indices of the target layers whose outputs a drafter reads. */
  get taps(): readonly number[] {
    return this.drafters.flatMap(({ taps }) => taps);
  }

  /** Number of tokens in every part. Throws an Error if the parts differ, which is a defect. */
  get length(): number {
    const lengths = this.#parts.map(({ offset }) => offset);
    const [length = 0] = lengths;
    if (lengths.every((partLength) => partLength === length)) return length;
    throw new Error(`Expected caches and contexts of one length, got ${lengths.join(', ')}`);
  }

  /** Gives drafters the next tokens and the target's taps for them, [1, tokens, taps · hiddenSize]. */
  commit(tokens: readonly number[], taps: MxArray | undefined): void {
    for (const state of this.draftStates) state.commit(tokens, taps);
  }

  /** Returns the largest length up to `length` that all parts can be trimmed to. */
  reachable(length: number): number {
    const shorter = this.#parts.reduce((shortest, part) => part.reachable(shortest), length);
    return shorter === length ? length : this.reachable(shorter);
  }

  /** Forgets all tokens from `length` on, which must be reachable. */
  trimTo(length: number): void {
    for (const part of this.#parts) part.trimTo(length);
  }

  /** Copies the first `length` tokens, which must be reachable, with room for `expectedRows`. */
  fork(length: number, expectedRows: number): DecodeMemory {
    return new DecodeMemory(
      this.target,
      this.drafters,
      this.caches.map((cache) => cache.fork(length, expectedRows)),
      this.draftStates.map((state) => state.fork(length, expectedRows)),
    );
  }

  /** Returns a copy without spare rows and disposes this memory; returns this memory if that would free too little. */
  compacted(): DecodeMemory {
    const copy = this.fork(this.length, 0);
    const [kept, spent] = copy.bytes > MIN_USED_SHARE * this.bytes ? [this, copy] : [copy, this];
    // Begin evaluating the copies before disposing their sources, which an unevaluated array keeps alive.
    begin(kept.arrays());
    spent.dispose();
    return kept;
  }

  /** Arrays to evaluate with each step, so that pending writes do not pile up. */
  arrays(): MxArray[] {
    return this.#parts.flatMap((part) => part.arrays());
  }

  get bytes(): number {
    return this.arrays().reduce((sum, { nbytes }) => sum + nbytes, 0);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }
}
