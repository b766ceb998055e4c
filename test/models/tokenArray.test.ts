// tokenArray is the one door to MLX for token ids, so it must refuse every id that is not a row of the table:
// the native gather would read foreign memory.
import assert from 'node:assert/strict';
import { dispose } from '../../server/models/mlx/memory';
import { requireTokenIds, tokenArray } from '../../server/models/mlx/tokenArray';
import { valuesOf } from '../support/arrayValues';
import * as mx from '../../server/models/mlx/ops';
import { assertRefused } from '../support/refusal';

describe('tokenArray', () => {
  it('makes int32 of ids inside the table, the first and the last included', () => {
    const ids = tokenArray([0, 99, 5], 100);
    assert.equal(ids.dtype, mx.int32);
    assert.deepEqual(valuesOf(ids), [0, 99, 5]);
    dispose(ids);
  });

  it('keeps ids of the largest vocabulary exact', () => {
    const largest = 2 ** 24 - 1;
    const ids = tokenArray([largest], 2 ** 24);
    assert.deepEqual(valuesOf(ids), [largest]);
    dispose(ids);
  });

  for (const id of [100, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 32]) {
    it(`refuses ${id} in a vocabulary of 100`, async () => {
      await assertRefused(() => tokenArray([1, 2, id], 100), '0 to 99', `got ${id} at position 2`);
    });
  }

  it('refuses an empty list', async () => {
    await assertRefused(() => tokenArray([], 100), 'at least one token');
    await assertRefused(() => requireTokenIds([], 100), 'at least one token');
  });
});
