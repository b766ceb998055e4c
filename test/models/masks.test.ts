// Masks against the rule in plain JavaScript. A window mask hides exactly the future and what lies before the window, for
// the keys that a cache of that window gives; a draft mask is tried with many windows, directions, starts and sizes.
import assert from 'node:assert/strict';
import {
  additiveWindowMask,
  draftMask,
  windowMask,
  type BlockSight,
} from '../../server/models/decoder/masks';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';

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

/** Whether the block row at position `query` may see the key at position `key`. */
function visible({ window, causal }: BlockSight, start: number, query: number, key: number): boolean {
  const distance = query - key;
  if (causal) return distance >= 0 && (window === undefined || distance < window);
  return key >= start || window === undefined || distance < window;
}

function expectedMask(kind: BlockSight, start: number, rows: number): number[] {
  const keys = Array.from({ length: start + rows }, (_, key) => key);
  return keys
    .slice(start)
    .flatMap((query) => keys.map((key) => (visible(kind, start, query, key) ? 0 : -Infinity)));
}

/** The mask as numbers; no mask means that everything is visible. */
function actualMask(kind: BlockSight, start: number, rows: number, first = 0): number[] {
  return scope(() => {
    const mask = draftMask(kind, { start, first, rows }, mx.float32);
    if (mask === undefined) return Array<number>(rows * (start + rows)).fill(0);
    assert.notEqual(mask, 'causal');
    return valuesOf(mask as mx.MxArray);
  });
}

describe('draftMask', () => {
  for (const window of [undefined, 1, 2, 5, 16, 4096]) {
    for (const causal of [true, false]) {
      it(`shows what a ${causal ? 'causal' : 'two-way'} layer with window ${window ?? 'none'} may see`, () => {
        for (const start of [0, 1, 3, 15, 16, 40]) {
          for (const rows of [1, 2, 7, 16]) {
            const kind = { window, causal };
            assert.deepEqual(
              actualMask(kind, start, rows),
              expectedMask(kind, start, rows),
              `start ${start}, ${rows} rows`,
            );
          }
        }
      });
    }
  }

  it('leaves out keys that no row sees', () => {
    for (const causal of [true, false]) {
      const [kind, start, rows, first] = [{ window: 5, causal }, 40, 3, 34];
      const whole = expectedMask(kind, start, rows);
      const seen = whole.filter((_, i) => i % (start + rows) >= first);
      assert.deepEqual(actualMask(kind, start, rows, first), seen);
    }
  });

  it('costs nothing where everything is visible', () => {
    assert.equal(
      draftMask({ window: undefined, causal: false }, { start: 10, first: 0, rows: 8 }, mx.float32),
      undefined,
    );
  });

  it('lets every row see at least itself, which softmax needs', () => {
    const rows = 8;
    for (const causal of [true, false]) {
      const mask = actualMask({ window: 1, causal }, 20, rows);
      for (let row = 0; row < rows; row++) assert.equal(mask[row * (20 + rows) + 20 + row], 0);
    }
  });
});
