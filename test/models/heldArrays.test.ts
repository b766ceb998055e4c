// Arrays that weights own: evaluated part by part, freed together.
import assert from 'node:assert/strict';
import { HeldArrays } from '../../server/models/mlx/heldArrays';
import { liveArrays } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';

/** So many arrays of 40 bytes, each with its place for values. */
function held(count: number, partBytes: number): { readonly arrays: HeldArrays; readonly all: mx.MxArray[] } {
  const arrays = new HeldArrays(partBytes);
  const make = (value: number) => () => mx.add(mx.zeros([10], mx.float32), value);
  return { arrays, all: Array.from({ length: count }, (_, i) => arrays.make([], make(i))) };
}

describe('held arrays', () => {
  for (const [partBytes, fractions] of [
    [1, [0.2, 0.4, 0.6, 0.8, 1]],
    [80, [1 / 3, 2 / 3, 1]],
    [1000, [1]],
  ] as const)
    it(`are evaluated in parts of at least ${String(partBytes)} bytes, and tell how many are there`, async () => {
      const before = liveArrays();
      const { arrays, all } = held(5, partBytes);
      const seen: number[] = [];
      await arrays.evaluateAll((fraction) => seen.push(fraction));
      assert.deepEqual(seen, fractions);
      assert.deepEqual(
        all.map((array) => mx.numbers(array)[9]),
        [0, 1, 2, 3, 4],
      );
      arrays.dispose();
      assert.equal(liveArrays(), before);
    });

  it('are none without any', async () => {
    await new HeldArrays().evaluateAll(() => assert.fail('nothing is there'));
  });
});
