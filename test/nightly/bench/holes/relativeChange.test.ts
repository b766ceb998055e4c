// The change of a sum, and an interval that is as wide as the files differ.
import assert from 'node:assert/strict';
import { relativeChange } from '../../../../bench/holes/relativeChange';

describe('relativeChange', () => {
  it('is that of the sums, and certain where all files agree', () => {
    const files = [2, 4, 6].map((theirs) => ({ ours: 1.5 * theirs, theirs }));
    const { relative, low, high } = relativeChange(files);
    assert.deepEqual({ relative, low, high }, { relative: 0.5, low: 0.5, high: 0.5 });
  });

  it('is wider where files differ, and holds the change', () => {
    const files = [
      { ours: 5, theirs: 4 },
      { ours: 2, theirs: 4 },
      { ours: 9, theirs: 4 },
      { ours: 6, theirs: 4 },
    ];
    const { relative, low, high } = relativeChange(files);
    assert.equal(relative, 22 / 16 - 1);
    assert.ok(low < 0.1 && low >= -0.5, String(low));
    assert.ok(high > 0.7 && high <= 1.25, String(high));
  });

  it('gets narrower with more files of the same kind', () => {
    const some = [3, 5, 4, 6].map((ours) => ({ ours, theirs: 4 }));
    const few = relativeChange(some);
    const many = relativeChange(Array.from({ length: 16 }, () => some).flat());
    assert.equal(many.relative, few.relative);
    assert.ok(many.high - many.low < 0.5 * (few.high - few.low));
  });

  it('gives the same for the same', () => {
    const files = [3, 1, 7].map((ours, i) => ({ ours, theirs: i + 1 }));
    assert.deepEqual(relativeChange(files), relativeChange(files));
  });

  it('is nothing between equals, also where both have nothing, and without end against nothing', () => {
    const none = { relative: 0, low: 0, high: 0 };
    assert.deepEqual(relativeChange([{ ours: 3, theirs: 3 }]), none);
    assert.deepEqual(relativeChange([{ ours: 0, theirs: 0 }]), none);
    assert.equal(relativeChange([{ ours: 1, theirs: 0 }]).relative, Infinity);
  });
});
