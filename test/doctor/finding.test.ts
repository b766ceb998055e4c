// The tie rule: which differences from the right tokens are errors, by number type.
import assert from 'node:assert/strict';
import { compareRows, findingOf, joined } from '../../server/doctor/finding';

const BEST = { tokens: [2, 0], logits: [3, 5] };

describe('a finding', () => {
  it('passes where all tokens are right, and knows the largest error', () => {
    const found = compareRows(
      [
        [1, 0, 3.005],
        [5, 4.9, 0],
      ],
      BEST,
      'float32',
    );
    const { verdict, different, largestError = NaN } = found;
    assert.deepEqual([verdict, different, largestError.toFixed(3)], ['pass', 0, '0.005']);
  });

  it('is a near tie where rounding may decide, which depends on the number type', () => {
    const rows = [
      [1, 3.25, 3],
      [5, 4, 0],
    ];
    assert.equal(compareRows(rows, BEST, 'float32').verdict, 'fail');
    const { verdict, different, largestGap } = compareRows(rows, BEST, 'bfloat16');
    assert.deepEqual(
      { verdict, different, largestGap },
      { verdict: 'near tie', different: 1, largestGap: 0.25 },
    );
  });

  it('fails where a logit is far off, though its token is right', () => {
    const rows = [
      [1, 0, 3.7],
      [5, 4, 0],
    ];
    for (const type of ['float32', 'bfloat16'] as const) {
      const { verdict, different, problem } = compareRows(rows, BEST, type);
      assert.deepEqual([verdict, different, problem], ['fail', 0, 'a logit is off by 0.70']);
    }
  });

  it('fails for logits that are not finite, and for rows that are missing', () => {
    assert.equal(
      compareRows(
        [
          [1, NaN, 3],
          [5, 4, 0],
        ],
        BEST,
        'bfloat16',
      ).verdict,
      'fail',
    );
    assert.equal(compareRows([[1, 0, 3]], BEST, 'bfloat16').verdict, 'fail');
    assert.equal(findingOf(1, [NaN], 'bfloat16').verdict, 'fail');
  });

  it('of several is the worst of them', () => {
    const all = [findingOf(4, [], 'bfloat16'), findingOf(3, [0.1, 0.2], 'bfloat16')];
    const { verdict, compared, different, largestGap } = joined(all);
    assert.deepEqual([verdict, compared, different, largestGap], ['near tie', 7, 2, 0.2]);
    assert.equal(joined([...all, findingOf(1, [9], 'bfloat16')]).verdict, 'fail');
  });
});
