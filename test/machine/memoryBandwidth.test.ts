// Tests the memory bandwidth by the chip of a Mac, and on other machines.
import assert from 'node:assert/strict';
import { memoryBandwidth } from '../../server/machine/memoryBandwidth';

describe('the memory bandwidth', () => {
  it('is that of the chip with a margin, of the slowest M5 for unknown chips, and lower on a CPU', () => {
    assert.equal(memoryBandwidth('gpu', 'Apple M1'), 68e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M2 Max'), 400e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M3 Pro'), 150e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M9 Ultra'), memoryBandwidth('gpu', 'Apple M5'));
    assert.equal(memoryBandwidth('cpu', 'Apple M1'), memoryBandwidth('cpu', 'Some Processor'));
    assert.ok(memoryBandwidth('cpu', '') < memoryBandwidth('gpu', 'Apple M1'));
  });
});
