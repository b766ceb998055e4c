// Tests the freed buffers of a GPU: a trim returns them to the system and sets a limit, and the peak counts them.
import assert from 'node:assert/strict';
import { BufferCache } from '../../../server/models/mlx/bufferCache';

/** Memory of a GPU as MLX reports it. */
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

describe('BufferCache', () => {
  let memory: Memory;
  let cache: BufferCache;
  beforeEach(() => {
    memory = new Memory();
    cache = new BufferCache(memory);
  });

  it('limits kept buffers to a quarter of the bytes in use, within bounds', () => {
    const limits = [0, 100e6, 1e9, 2.3e9, 17e9].map((active) => {
      memory.active = active;
      cache.trim();
      return memory.limit;
    });
    assert.deepEqual(limits, [64e6, 64e6, 250e6, 512e6, 512e6]);
  });

  it('limits kept buffers to the rest of the working set', () => {
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

  it('empties on a trim, and counts returned buffers in the peak', () => {
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
    // A peak between two observations.
    memory.peak = 7e9;
    assert.equal(cache.peakBytes, 7e9);
  });
});
