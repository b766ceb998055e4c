// Tests the arrays of weights: evaluated in parts, with progress, and freed on disposal; their sources are freed
// earlier.
import assert from 'node:assert/strict';
import { HeldArrays } from '../../../server/models/mlx/heldArrays';
import { liveArrays } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { valuesOf } from '../../support/arrayValues';

describe('HeldArrays', () => {
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  const constant = (value: number) => mx.array([value, value], mx.float32);
  const BYTES = 8;

  for (const [partBytes, fractions] of [
    [1, [0.2, 0.4, 0.6, 0.8, 1]],
    [2 * BYTES, [1 / 3, 2 / 3, 1]],
    [2 * BYTES + 1, [0.5, 1]],
    [undefined, [1]],
  ] as const)
    it(`evaluates in parts of at least ${partBytes ?? 'the default number of'} bytes, and reports the fraction after each part`, async () => {
      const held = new HeldArrays(partBytes);
      const arrays = Array.from({ length: 5 }, (_, i) => held.make([], () => constant(i)));
      const reported: number[] = [];
      let turns = 0;
      const turnsAt: number[] = [];
      const turn = (): void => void ((turns += 1), (next = setImmediate(turn)));
      let next = setImmediate(turn);
      await held.evaluateAll((fraction) => {
        reported.push(fraction);
        turnsAt.push(turns);
      });
      clearImmediate(next);
      assert.deepEqual(reported, fractions);
      assert.ok(
        turnsAt.every((count, i) => count > (turnsAt[i - 1] ?? 0)),
        'other work gets turns in each part',
      );
      assert.deepEqual(
        arrays.map((array) => valuesOf(array)[0]),
        [0, 1, 2, 3, 4],
      );
      held.dispose();
    });

  it('frees the sources of a new array immediately, and all arrays on disposal', () => {
    const held = new HeldArrays();
    const source = held.take(constant(1));
    const [kept, spent] = [held.take(constant(2)), held.take(constant(3))];
    held.make([source], () => mx.add(source, constant(4)));
    assert.equal(liveArrays() - arraysBefore, 3);
    const remade = held.remake({ kept, spent }, () => ({ kept, spent: mx.add(spent, 1) }));
    assert.equal(remade.kept, kept);
    assert.deepEqual(valuesOf(remade.spent), [4, 4]);
    assert.equal(liveArrays() - arraysBefore, 3);
    let drops = 0;
    held.onDispose(() => (drops += 1));
    held.dispose();
    assert.equal(liveArrays(), arraysBefore);
    held.dispose();
    assert.equal(drops, 1);
  });
});
