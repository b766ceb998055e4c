// Tests to which lengths a cache with a window can go back after it has dropped rows.
import assert from 'node:assert/strict';
import { scope } from '../../../server/models/mlx/memory';
import { KVCache } from '../../../server/models/decoder/kvCache';
import { windowRows } from '../../../server/models/checkpoint/windowRows';
import { arrayOf } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';

const WINDOW = 16;

describe('the keys and values of a layer with a window', () => {
  it('cannot be cut where the next row would need rows that were dropped', () => {
    const { kept, capacity } = windowRows(WINDOW);
    const cache = new KVCache({ heads: 1, headDim: 1, dtype: testDevice.dtype, window: WINDOW });
    const append = (rows: number): void => {
      scope(() => {
        const values = arrayOf([1, 1, rows, 1], Array<number>(rows).fill(0));
        cache.append(values, values);
        return undefined;
      });
    };
    append(capacity);
    assert.equal(cache.reachable(1), 1, 'before a row was dropped');
    append(1);
    // The row after a text of this length attends to itself and to 15 rows before it, the first of which is the first
    // one that is left.
    const shortest = capacity - kept + WINDOW - 1;
    assert.deepEqual([cache.reachable(shortest), cache.reachable(shortest - 1)], [shortest, 0]);
    assert.throws(() => cache.trimTo(shortest - 1), RangeError);
    cache.dispose();
  });
});
