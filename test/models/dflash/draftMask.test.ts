// draftMask against the rule in plain JavaScript, for many windows, directions, starts and block sizes.
// How layers use it is tested with the drafter.
import assert from 'node:assert/strict';
import type { DraftLayerKind } from '../../../server/models/dflash/config';
import { draftMask } from '../../../server/models/dflash/draftMask';
import { scope } from '../../../server/models/memory';
import * as mx from '../../../server/models/ops';
import { valuesOf } from '../../support/arrayValues';

/** Whether the block row at position `query` may see the key at position `key`. */
function visible({ window, causal }: DraftLayerKind, start: number, query: number, key: number): boolean {
  const distance = query - key;
  if (causal) return distance >= 0 && (window === undefined || distance < window);
  return key >= start || window === undefined || distance < window;
}

function expectedMask(kind: DraftLayerKind, start: number, rows: number): number[] {
  const keys = Array.from({ length: start + rows }, (_, key) => key);
  return keys
    .slice(start)
    .flatMap((query) => keys.map((key) => (visible(kind, start, query, key) ? 0 : -Infinity)));
}

/** The mask as numbers; no mask means that everything is visible. */
function actualMask(kind: DraftLayerKind, start: number, rows: number): number[] {
  return scope(() => {
    const mask = draftMask(kind, start, rows, mx.float32);
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

  it('costs nothing where everything is visible', () => {
    assert.equal(draftMask({ window: undefined, causal: false }, 10, 8, mx.float32), undefined);
  });

  it('lets every row see at least itself, which softmax needs', () => {
    const rows = 8;
    for (const causal of [true, false]) {
      const mask = actualMask({ window: 1, causal }, 20, rows);
      for (let row = 0; row < rows; row++) assert.equal(mask[row * (20 + rows) + 20 + row], 0);
    }
  });
});
