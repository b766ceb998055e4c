// Percentiles by nearest rank, against values counted by hand.
import assert from 'node:assert/strict';
import { percentiles } from '../../../bench/replay/percentiles';

describe('percentiles', () => {
  it('are values that were measured', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    assert.deepEqual(percentiles(hundred), { count: 100, p50: 50, p95: 95, p99: 99 });
    assert.deepEqual(percentiles([30, 10, 20]), { count: 3, p50: 20, p95: 30, p99: 30 });
    assert.deepEqual(percentiles([4, 1, 3, 2]), { count: 4, p50: 2, p95: 4, p99: 4 });
    assert.deepEqual(percentiles([7]), { count: 1, p50: 7, p95: 7, p99: 7 });
  });

  it('are null of nothing', () => {
    assert.deepEqual(percentiles([]), { count: 0, p50: null, p95: null, p99: null });
  });

  it('leave the values in their order', () => {
    const values = [3, 1, 2];
    percentiles(values);
    assert.deepEqual(values, [3, 1, 2]);
  });
});
