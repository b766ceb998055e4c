// What the layers of one kind share: their sort of cache, and the rotation and mask of each pass, made once.
// Knows nothing about what a layer computes.
import { KVCache, type KVCacheShape } from './kvCache';
import { cacheOf, type LayerCache } from './layerCache';
import type * as mx from './ops';
import type { Rope, Rotate } from './rope';
import { SlidingCache } from './slidingCache';
import type { Step } from './stackLayer';
import { additiveWindowMask, windowMask } from './windowMask';

/** What all layers of a kind share in one pass. */
interface Pass {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
}

/** 'native' masks may be words that only the native attention understands. */
type MaskForm = 'native' | 'numbers';

export interface PositionRules {
  /** Positions that a row sees, its own included; all where it is absent. */
  readonly window?: number | undefined;
  readonly maskForm: MaskForm;
  /** Of masks. */
  readonly dtype: mx.Dtype;
}

/** The caches and passes of one kind of layers. */
export class LayerPositions {
  readonly #passes = new WeakMap<Step, Pass>();

  constructor(
    private readonly rope: Rope,
    private readonly rules: PositionRules,
  ) {}

  newCache(shape: KVCacheShape, expectedRows: number): KVCache | SlidingCache {
    const { window } = this.rules;
    if (window === undefined) return new KVCache(shape, expectedRows);
    return new SlidingCache({ ...shape, window }, expectedRows);
  }

  /** `cache` as newCache made it. */
  cacheOf(cache: LayerCache): KVCache | SlidingCache {
    return this.rules.window === undefined ? cacheOf(KVCache, cache) : cacheOf(SlidingCache, cache);
  }

  /** Rotation and mask of the positions of a step. */
  at(step: Step): Pass {
    const pass = this.#passes.get(step) ?? this.#prepare(step);
    this.#passes.set(step, pass);
    return pass;
  }

  #prepare({ offset, rows }: Step): Pass {
    const { window = Infinity, maskForm, dtype } = this.rules;
    const makeMask = maskForm === 'native' ? windowMask : additiveWindowMask;
    return { rotate: this.rope.at(offset, rows), mask: makeMask(rows, offset, window, dtype) };
  }
}
