// A window mask hides exactly the future and what lies before the window, for the keys that a SlidingCache gives.
import assert from 'node:assert/strict';
import { scope } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import { additiveWindowMask, windowMask } from '../../server/models/windowMask';
import { valuesOf } from '../support/arrayValues';
import { range } from '../support/cacheRows';

/** Row by row: 0 where the query at its position sees the key at its own. */
function expected(rows: number, offset: number, window: number): number[] {
  const keys = range(Math.max(0, offset - window + 1), offset + rows);
  return range(offset, offset + rows).flatMap((query) =>
    keys.map((key) => (key <= query && query - key < window ? 0 : -Infinity)),
  );
}

describe('a window mask', () => {
  for (const window of [1, 2, 7, 16, Infinity])
    for (const offset of [0, 1, 6, 15, 16, 40])
      for (const rows of [2, 7, 16, 30])
        it(`has ${rows} rows after ${offset} in a window of ${window}`, () =>
          scope(() => {
            const masks = [windowMask, additiveWindowMask].map((mask) =>
              mask(rows, offset, window, mx.float32),
            );
            for (const mask of masks) {
              assert.ok(typeof mask === 'object');
              assert.deepEqual(valuesOf(mask), expected(rows, offset, window));
            }
            return undefined;
          }));

  it('is not needed for a single row', () => {
    assert.equal(windowMask(1, 40, 16, mx.float32), undefined);
    assert.equal(windowMask(1, 3, 16, mx.float32), undefined);
    assert.equal(additiveWindowMask(1, 40, 16, mx.float32), undefined);
  });
});
