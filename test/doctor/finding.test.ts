// The tie rule: which differences from the right tokens are errors, by number type.
import assert from 'node:assert/strict';
import { findingOf, joined } from '../../server/doctor/finding';

describe('a finding', () => {
  it('is a near tie where rounding may decide, which depends on the number type', () => {
    assert.equal(findingOf(4, [], 'float32').verdict, 'pass');
    assert.equal(findingOf(4, [0.25], 'float32').verdict, 'fail');
    const { verdict, different, largestGap } = findingOf(4, [0.25], 'bfloat16');
    assert.deepEqual([verdict, different, largestGap], ['near tie', 1, 0.25]);
    assert.equal(findingOf(1, [NaN], 'bfloat16').verdict, 'fail');
  });

  it('of several is the worst of them', () => {
    const all = [findingOf(4, [], 'bfloat16'), findingOf(3, [0.1, 0.2], 'bfloat16')];
    const { verdict, compared, different, largestGap } = joined(all);
    assert.deepEqual([verdict, compared, different, largestGap], ['near tie', 7, 2, 0.2]);
    assert.equal(joined([...all, findingOf(1, [9], 'bfloat16')]).verdict, 'fail');
  });
});
