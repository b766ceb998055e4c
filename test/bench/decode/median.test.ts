// The middle of some measurements: of an even count, the mean of the two in the middle.
// Numbers must not be sorted as text.
import assert from 'node:assert/strict';
import { median } from '../../../server/rules/median';

describe('the median', () => {
  it('is the middle value or the mean of the two there', () => {
    assert.equal(median([3]), 3);
    assert.equal(median([10, 9, 100]), 10);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([2, 2, 100, 2]), 2);
  });

  it('leaves the measurements in their order', () => {
    const values = [3, 1, 2];
    median(values);
    assert.deepEqual(values, [3, 1, 2]);
  });

  it('is NaN of nothing', () => assert.ok(Number.isNaN(median([]))));
});
