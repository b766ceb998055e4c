// What is kept of freed buffers: given back at once when asked, limited afterwards, and counted.
import assert from 'node:assert/strict';
import { BufferCache } from '../../server/models/mlx/bufferCache';

/** Memory of a GPU as MLX tells of it. */
class Memory {
  active = 0;
  cached = 0;
  peak = 0;
  limit = Infinity;
  getActiveMemory = () => this.active;
  getPeakMemory = () => this.peak;
  getCacheMemory = () => this.cached;
  setCacheLimit = (bytes: number) => void (this.limit = bytes);
  clearCache = () => void (this.cached = 0);
}

describe('the cache of buffers', () => {
  let memory: Memory;
  let cache: BufferCache;
  beforeEach(() => {
    memory = new Memory();
    cache = new BufferCache(memory);
  });

  it('may hold a quarter of what is in use, within limits', () => {
    const limits = [0, 100e6, 1e9, 2.3e9, 17e9].map((active) => {
      memory.active = active;
      cache.trim();
      return memory.limit;
    });
    assert.deepEqual(limits, [64e6, 64e6, 250e6, 512e6, 512e6]);
  });

  it('leaves to what is in use what the working set has left', () => {
    const small = new BufferCache(memory, 4e9);
    assert.equal(small.freeBytes, 4e9);
    const limits = [2e9, 3.8e9, 5e9].map((active) => {
      memory.active = active;
      small.trim();
      return memory.limit;
    });
    assert.deepEqual(limits, [500e6, 200e6, 0]);
    assert.equal(small.freeBytes, 0);
    assert.equal(cache.freeBytes, undefined);
  });

  it('is emptied by a trim, and counts in the peak what it has given back', () => {
    memory.active = 2e9;
    memory.cached = 3e9;
    cache.trim();
    assert.equal(memory.cached, 0);
    assert.equal(cache.peakBytes, 5e9);
    memory.active = 4e9;
    cache.observe();
    assert.equal(cache.peakBytes, 5e9);
    memory.cached = 2e9;
    cache.observe();
    assert.equal(cache.peakBytes, 6e9);
    // As it was between two looks.
    memory.peak = 7e9;
    assert.equal(cache.peakBytes, 7e9);
  });
});
