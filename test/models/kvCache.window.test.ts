// A cache with a window holds a bounded number of rows, and refuses lengths that it has dropped. That what it holds is
// right is said by the texts that are decoded with it (slidingPrefixes.test.ts, mistral.window.test.ts).
import assert from 'node:assert/strict';
import { KVCache } from '../../server/models/decoder/kvCache';
import { liveArrays } from '../../server/models/mlx/memory';
import { append, assertHolds, range, seenBy, SHAPE, bytesOf } from '../support/cacheRows';

const BYTES_PER_ROW = 2 * 4 * SHAPE.heads * SHAPE.headDim;
const sliding = (window: number, expectedRows?: number) => new KVCache({ ...SHAPE, window }, expectedRows);

/** What `added` rows after `before` others see: themselves and the window's rest. */
const seen = (rows: readonly number[], added: number, window: number) =>
  rows.slice(Math.max(0, rows.length - added - window + 1));

/** The least length above 0 that it can be cut back to. */
function earliest(cache: KVCache): number {
  const lengths = range(1, cache.offset + 1);
  return lengths.find((length) => cache.reachable(length) === length) ?? 0;
}

describe('a KVCache with a window', () => {
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  for (const window of [1, 2, 16, 300]) {
    it(`shows the rows of a window of ${window} and no older ones`, () => {
      const cache = sliding(window);
      const rows: number[] = [];
      for (const added of [1, 1, 7, 24, 1, 256, 1, 256, 256, 3, 256, 256, 1, 256, 256, 1]) {
        const next = range(rows.length, rows.length + added);
        rows.push(...next);
        assertHolds(append(cache, next), seen(rows, added, window));
        assert.equal(cache.offset, rows.length);
        // Layers that share it see the same.
        assertHolds(seenBy(cache, added), seen(rows, added, window));
      }
      cache.dispose();
    });
  }

  it('holds a bounded number of rows, whatever it is told to expect', () => {
    const window = 700;
    const cache = sliding(window, 100_000);
    for (let i = 0; i < 60; i++) {
      append(cache, range(256 * i, 256 * (i + 1)));
      assert.ok(bytesOf(cache) <= 4 * window * BYTES_PER_ROW);
      assert.equal(liveArrays(), before + 2);
    }
    cache.dispose();
  });

  it('drops rows seldom', () => {
    const cache = sliding(1024);
    let drops = 0;
    for (let row = 0; row < 6000; row += 16) {
      const before = earliest(cache);
      append(cache, range(row, row + 16));
      if (earliest(cache) !== before) drops += 1;
    }
    assert.ok(drops > 2 && drops < 10, `${drops} drops`);
    cache.dispose();
  });

  it('refuses lengths beyond its reach and keeps what it has', () => {
    const cache = sliding(16);
    for (let i = 0; i < 10; i++) append(cache, range(256 * i, 256 * (i + 1)));
    const first = earliest(cache);
    assert.ok(first > 16);
    for (const length of [-1, 1, first - 1, cache.offset + 1, NaN]) {
      assert.throws(() => cache.trimTo(length), RangeError);
      assert.throws(() => cache.fork(length, 1), RangeError);
    }
    assertHolds(append(cache, [7]), [...range(2545, 2560), 7]);
    const last = earliest(cache);
    cache.trimTo(last);
    assertHolds(append(cache, [8]), [...range(last - 15, last), 8]);
    cache.dispose();
  });
});
