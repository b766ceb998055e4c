// The test that other tests rest on: against values of SciPy 1.17, and on counts whose answer is plain.
import assert from 'node:assert/strict';
import { chiSquareTest, upperGamma } from './chiSquare';
import { seededRandom } from './seededRandom';

describe('chi-square test', () => {
  const known: readonly (readonly [a: number, x: number, value: number])[] = [
    [0.5, 0.1, 0.6547208460185768],
    [0.5, 2, 0.04550026389635857],
    [1, 1, 0.36787944117144245],
    [2.5, 0.3, 0.9880032427940937],
    [2.5, 9, 0.0029464045878802923],
    [10, 10, 0.4579297144718523],
    [62, 40, 0.9992440365330144],
    [62, 62.5, 0.45792942221186594],
    [62, 90, 0.0007633347476720382],
    [255.5, 300, 0.003935248038173155],
    [30, 200, 9.818469937150823e-52],
  ];
  for (const [a, x, value] of known)
    it(`knows the upper gamma function of ${a} and ${x}`, () => {
      const relative = upperGamma(a, x) / value - 1;
      assert.ok(Math.abs(relative) < 1e-8, `a relative error of ${relative}`);
    });

  it('gives the value of SciPy', () => {
    const p = chiSquareTest([12, 7, 14, 9, 18], [0.2, 0.2, 0.2, 0.2, 0.2]);
    assert.ok(Math.abs(p - 0.1870424495382044) < 1e-9, String(p));
  });

  it('gives 1 for exactly what is expected, and 0 for the impossible', () => {
    assert.equal(chiSquareTest([50, 30, 20], [0.5, 0.3, 0.2]), 1);
    assert.equal(chiSquareTest([70, 29, 1], [0.7, 0.3, 0]), 0);
    assert.equal(chiSquareTest([100], [1]), 1);
  });

  it('counts rare cells together', () => {
    assert.equal(chiSquareTest([98, 2, 4, 0, 0], [0.94, 0.015, 0.015, 0.015, 0.015]) > 0.9, true);
    assert.equal(chiSquareTest([98, 0, 0, 0, 20], [0.94, 0.015, 0.015, 0.015, 0.015]) < 1e-4, true);
  });

  it('is below any bound as often as the bound says', () => {
    const probabilities = [0.4, 0.3, 0.2, 0.06, 0.04];
    const random = seededRandom(1);
    const values = Array.from({ length: 2000 }, () => {
      const counts = [0, 0, 0, 0, 0];
      for (let i = 0; i < 500; i++) {
        let left = random();
        const cell = probabilities.findIndex((probability) => (left -= probability) < 0);
        counts[cell] = (counts[cell] ?? 0) + 1;
      }
      return chiSquareTest(counts, probabilities);
    });
    for (const bound of [0.01, 0.1, 0.5, 0.9]) {
      const below = values.filter((p) => p < bound).length / values.length;
      assert.ok(
        Math.abs(below - bound) < 4 * Math.sqrt((bound * (1 - bound)) / 2000),
        `${below} of ${bound}`,
      );
    }
  });
});
