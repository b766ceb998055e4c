// A layer gets back the kind of cache that it has made, and says so when it does not.
import assert from 'node:assert/strict';
import { KVCache } from '../../server/models/decoder/kvCache';
import { cacheOf } from '../../server/models/decoder/layerCache';
import * as mx from '../../server/models/mlx/ops';

describe('cacheOf', () => {
  const cache = new KVCache({ heads: 1, headDim: 2, dtype: mx.float32 });
  class Other extends KVCache {}

  it('gives the cache of a layer as what it is', () => {
    assert.equal(cacheOf(KVCache, cache), cache);
  });

  it('names both kinds when a layer gets the cache of another', () => {
    assert.throws(() => cacheOf(Other, cache), /Expected the Other of this layer, got KVCache/);
    assert.throws(() => cacheOf(KVCache, undefined), /Expected the KVCache of this layer, got none/);
  });
});
