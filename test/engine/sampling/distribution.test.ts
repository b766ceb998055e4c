// Drawing from distributions of which a part is listed: chance falls on each token as often as its probability says,
// and the rest is asked for only when it falls there.
import assert from 'node:assert/strict';
import {
  certain,
  distribution,
  draw,
  probabilityOf,
  residual,
  type Distribution,
} from '../../../server/engine/sampling/distribution';
import { assertClose } from '../../support/arrayValues';
import { seededRandom } from '../../support/seededRandom';

/** Lists the first `listed` tokens of `weights`. */
function partly(weights: readonly number[], listed: number, asked = { times: 0 }): Distribution {
  const tokens = [...weights.keys()];
  const whole = distribution(tokens, weights);
  const weight = weights.slice(listed).reduce((sum, each) => sum + each, 0);
  const rest = {
    weight,
    whole: () => {
      asked.times += 1;
      return whole;
    },
  };
  return distribution(tokens.slice(0, listed), weights.slice(0, listed), rest);
}

/** The parts of an even grid of chances that fall on each token. */
function shares(from: Distribution, tokens: number, grid = 10_000): number[] {
  const counts = Array<number>(tokens).fill(0);
  for (let i = 0; i < grid; i++) {
    const token = draw(from, (i + 0.5) / grid);
    counts[token] = (counts[token] ?? 0) + 1 / grid;
  }
  return counts;
}

describe('a distribution', () => {
  const weights = [3, 0, 1, 4, 2];
  const probabilities = [0.3, 0, 0.1, 0.4, 0.2];

  it('makes probabilities of weights', () => {
    assertClose(distribution([0, 1, 2, 3, 4], weights).probabilities, probabilities, 1e-15);
    assert.deepEqual(certain(7).tokens, [7]);
    assert.throws(() => distribution([1, 2], [0, 0]), RangeError);
    assert.throws(() => distribution([1], [NaN]), RangeError);
  });

  it('gives each token its share of the chances, listed or not', () => {
    for (let listed = 0; listed <= weights.length; listed++)
      assertClose(shares(partly(weights, listed), 5), probabilities, 2e-4);
  });

  it('asks for the rest only when chance falls on it, or when it is asked for one of its tokens', () => {
    const asked = { times: 0 };
    const from = partly(weights, 3, asked);
    assert.equal(draw(from, 0.39), 2);
    assert.equal(probabilityOf(from, 0), 0.3);
    assert.equal(asked.times, 0);
    assert.equal(draw(from, 0.41), 3);
    assert.equal(asked.times, 1);
    assert.equal(probabilityOf(from, 4), 0.2);
    assert.equal(asked.times, 2);
    assert.equal(probabilityOf(distribution([0], [1]), 4), 0);
  });

  it('never gives a token without probability, whatever rounding leaves', () => {
    const from = distribution([4, 6, 8], [0.1, 0.2, 0]);
    assert.equal(draw(from, 1 - 2 ** -53), 6);
    assert.equal(draw(from, 1), 6);
    const sliver = { weight: 1e-12, whole: () => distribution([4, 6], [0.1, 0.2]) };
    assert.equal(draw(distribution([4, 6], [0.1, 0.2], sliver), 1 - 1e-16), 6);
  });
});

describe('the residual', () => {
  it('is what the target has more than the drafter, for any part that is listed', () => {
    const random = seededRandom(3);
    for (let time = 0; time < 200; time++) {
      const p = Array.from({ length: 6 }, () => random() ** 2);
      const total = p.reduce((sum, weight) => sum + weight, 0);
      const drafted = [0, 1, 2].filter(() => random() < 0.7);
      const q =
        drafted.length > 0
          ? distribution(
              drafted,
              drafted.map(() => random()),
            )
          : certain(0);
      const more = p.map((weight, token) => Math.max(0, weight / total - probabilityOf(q, token)));
      const sum = more.reduce((all, weight) => all + weight, 0);
      for (const listed of [3, 4, 6]) {
        const left = residual(partly(p, listed), q);
        const actual = p.map((_, token) => probabilityOf(left, token));
        assertClose(
          actual,
          more.map((weight) => weight / sum),
          1e-12,
        );
        assertClose(
          left.whole().probabilities,
          more.map((weight) => weight / sum),
          1e-12,
        );
      }
    }
  });

  it('is the target itself when both are the same', () => {
    const p = distribution([0, 1], [0.25, 0.75]);
    assert.equal(residual(p, distribution([0, 1], [0.25, 0.75])), p);
  });
});
