// What the layers of one kind share: their sort of cache, and the rotation and mask of each pass, made once.
// Knows nothing about what a layer computes.
import { KVCache, type KVCacheShape } from './kvCache';
import { cacheOf, type LayerCache } from './layerCache';
import type * as mx from './ops';
import type { Rope, Rotate } from './rope';
import { SlidingCache } from './slidingCache';
import { additiveWindowMask, windowMask } from './windowMask';

/** What all layers of a kind share in one pass. */
export interface Pass {
  readonly rotate: Rotate;
  readonly mask: mx.Mask;
}

/** 'native' masks may be words that only the native attention understands. */
export type MaskForm = 'native' | 'numbers';

/** The caches and passes of one kind of layers. */
export class LayerPositions {
  constructor(
    private readonly rope: Rope,
    private readonly window: number | undefined,
    private readonly maskForm: MaskForm,
  ) {}

  newCache(shape: KVCacheShape, expectedRows: number): KVCache | SlidingCache {
    if (this.window === undefined) return new KVCache(shape, expectedRows);
    return new SlidingCache({ ...shape, window: this.window }, expectedRows);
  }

  /** `cache` as newCache made it. */
  cacheOf(cache: LayerCache): KVCache | SlidingCache {
    return this.window === undefined ? cacheOf(KVCache, cache) : cacheOf(SlidingCache, cache);
  }

  /** Prepares `rows` new positions after `offset` cached ones. */
  pass(offset: number, rows: number, dtype: mx.Dtype): Pass {
    const makeMask = this.maskForm === 'native' ? windowMask : additiveWindowMask;
    return {
      rotate: this.rope.at(offset, rows),
      mask: makeMask(rows, offset, this.window ?? Infinity, dtype),
    };
  }
}
