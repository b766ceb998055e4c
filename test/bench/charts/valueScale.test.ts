// The scale of an axis: round steps from zero, and no value above it.
import assert from 'node:assert/strict';
import { valueScale } from '../../../bench/charts/valueScale';

describe('valueScale', () => {
  for (const [highest, texts] of [
    [36.5, ['0', '10', '20', '30', '40']],
    [1.55, ['0.0', '0.5', '1.0', '1.5', '2.0']],
    [2526, ['0', '1000', '2000', '3000']],
    [0.3, ['0.0', '0.1', '0.2', '0.3']],
    [50, ['0', '10', '20', '30', '40', '50']],
    [0, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']],
  ] as const)
    it(`has the steps ${texts.join(', ')} for ${String(highest)}`, () => {
      const { ticks } = valueScale(highest);
      assert.deepEqual(
        ticks.map(({ text }) => text),
        texts,
      );
    });

  it('has few steps and room for the highest value, however large or small', () => {
    for (let highest = 1e-6; highest < 1e9; highest *= 1.37) {
      const { top, ticks } = valueScale(highest);
      assert.ok(top >= highest * (1 - 1e-6) && top < 2 * highest, String(highest));
      assert.ok(ticks.length >= 3 && ticks.length <= 6, String(highest));
      assert.ok(
        ticks.every(({ value, text }) => Math.abs(Number(text) - value) <= 1e-6 * top),
        String(highest),
      );
    }
  });
});
