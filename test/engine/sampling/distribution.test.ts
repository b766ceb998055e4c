// Tests the residual of partly listed distributions, from which the token in place of a rejected draft is drawn.
import assert from 'node:assert/strict';
import { distribution, draw, residual } from '../../../server/engine/sampling/distribution';

describe('residual', () => {
  it('keeps the probability of unlisted tokens', () => {
    const all = distribution([1, 2, 3, 4], [0.3, 0.2, 0.4, 0.1]);
    const listed = distribution([1, 2], [0.3, 0.2], { weight: 0.5, listAll: () => all });
    const left = residual(listed, distribution([1], [1]));
    assert.deepEqual(
      [...left.probabilities, left.rest].map((share) => Number(share.toFixed(6))),
      [0, 0.285714, 0.714286],
    );
    const drawn = Array.from({ length: 70 }, (_, i) => draw(left, (i + 0.5) / 70));
    const shares = [1, 2, 3, 4].map((token) => drawn.filter((drawnToken) => drawnToken === token).length);
    assert.deepEqual(shares, [0, 20, 40, 10]);
  });

  it('contains only unlisted tokens if the draft covered all listed ones', () => {
    const all = distribution([1, 2, 3], [0.2, 0.6, 0.2]);
    const listed = distribution([1], [0.2], { weight: 0.8, listAll: () => all });
    const left = residual(listed, distribution([1], [1]));
    assert.deepEqual([left.probabilities, left.rest], [[0], 1]);
    assert.deepEqual(
      [0, 0.5, 0.74, 0.76, 0.99].map((number) => draw(left, number)),
      [2, 2, 2, 3, 3],
    );
  });

  it('returns the distribution itself where nothing is left', () => {
    const all = distribution([1, 2], [0.5, 0.5]);
    assert.equal(residual(all, all), all);
  });
});
