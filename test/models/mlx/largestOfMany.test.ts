// Tests that the largest of many values are found by searching a few chunks of them, exactly as if all were sorted.
import assert from 'node:assert/strict';
import { largestOfMany } from '../../../server/models/mlx/largestOfMany';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { arrayOf } from '../../support/arrayValues';
import { seededIntegers } from '../../support/seededRandom';

const descending = (values: readonly number[]) => [...values].sort((a, b) => b - a);

describe('largestOfMany', () => {
  // 3 of 1003 values are in no chunk of the search for 1 or 5; for 300 there are no chunks.
  for (const count of [1, 5, 20, 300])
    for (const spread of [10, 100_000])
      it(`finds the ${count} largest of 1003 values below ${spread}, in each row`, () => {
        const [rows, size] = [3, 1003];
        const values = seededIntegers(count, rows * size, 0, spread - 1);
        // The largest values of the last row are at its end, and those of the second at its beginning.
        for (let i = 0; i < 4; i++) values[rows * size - 1 - i] = values[size + i] = spread + i;
        const found = scope(() =>
          mx.rows(mx.astype(largestOfMany(arrayOf([rows, size], values), count), mx.int32)),
        );
        for (const [row, ids] of found.entries()) {
          const all = values.slice(row * size, (row + 1) * size);
          assert.equal(new Set(ids).size, count);
          assert.deepEqual(descending(ids.map((id) => all[id] ?? NaN)), descending(all).slice(0, count));
        }
      });
});
