// Tests the memory that the keys and values of a layer take, and the lengths to which a cache with a window can be
// trimmed after it has dropped rows.
import assert from 'node:assert/strict';
import { liveArrays, scope } from '../../../server/models/mlx/memory';
import { KVCache } from '../../../server/models/decoder/kvCache';
import { windowRows } from '../../../server/models/checkpoint/windowRows';
import { arrayOf, valuesOf } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';

const WINDOW = 16;

/** Appends rows that count up from `first`, and returns the values of the rows that the last one attends to. */
function append(cache: KVCache, rows: number, first = 0): number[] {
  return scope(() => {
    const values = arrayOf(
      [1, 1, rows, 1],
      Array.from({ length: rows }, (_, i) => first + i),
    );
    return valuesOf(cache.append(values, values, 1).keys);
  });
}

const rowsOf = (cache: KVCache): number | undefined => cache.arrays()[0]?.shape[2];

describe('KVCache', () => {
  const shape = { heads: 1, headDim: 1, dtype: testDevice.dtype };
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  it('allocates the expected rows, rounded up a little, and grows in larger steps', () => {
    for (const [expected, allocated] of [
      [1, 32],
      [32, 32],
      [33, 64],
      [1000, 1024],
    ] as const) {
      const cache = new KVCache(shape, expected);
      assert.deepEqual(cache.arrays(), []);
      append(cache, 1);
      assert.equal(rowsOf(cache), allocated);
      append(cache, allocated - 1, 1);
      assert.equal(rowsOf(cache), allocated, 'is full');
      assert.deepEqual(
        append(cache, 1, allocated),
        Array.from({ length: allocated + 1 }, (_, i) => i),
      );
      assert.equal(rowsOf(cache), 256 * Math.ceil((allocated + 1) / 256));
      cache.dispose();
    }
    const cache = new KVCache(shape, 32);
    append(cache, 300);
    assert.equal(rowsOf(cache), 512, 'more than expected');
    cache.dispose();
  });

  it('forks with room for the expected rows, independent of the original', () => {
    const cache = new KVCache(shape, 32);
    append(cache, 20);
    for (const [length, expected, allocated] of [
      [20, 0, 20],
      [20, 33, 64],
      [5, 40, 64],
    ] as const) {
      const copy = cache.fork(length, expected);
      assert.deepEqual([copy.offset, rowsOf(copy)], [length, allocated]);
      assert.deepEqual(append(copy, 1, 90), [...Array.from({ length }, (_, i) => i), 90]);
      assert.equal(cache.offset, 20);
      copy.dispose();
    }
    const empty = cache.fork(0, 40);
    assert.deepEqual([empty.offset, empty.arrays()], [0, []]);
    append(empty, 1);
    assert.equal(rowsOf(empty), 64);
    for (const length of [-1, 21]) assert.throws(() => cache.fork(length, 0), /20 rows can be cut to/);
    for (const used of [empty, cache]) used.dispose();
  });

  it('allocates no more with a window than its rows need, however many are expected', () => {
    const { capacity } = windowRows(WINDOW);
    const cache = new KVCache({ ...shape, window: WINDOW }, 100_000);
    append(cache, capacity);
    const limit = 256 * Math.ceil(capacity / 256);
    assert.equal(rowsOf(cache), limit);
    const seen = append(cache, 1, capacity);
    assert.deepEqual(
      seen,
      Array.from({ length: WINDOW }, (_, i) => capacity - WINDOW + 1 + i),
    );
    assert.deepEqual([cache.offset, rowsOf(cache)], [capacity + 1, limit]);
    const copy = cache.fork(capacity + 1, 100_000);
    assert.deepEqual([copy.offset, rowsOf(copy), copy.reachable(1)], [capacity + 1, limit, 0]);
    assert.equal(cache.reachable(capacity + 9), capacity + 1);
    // Starts again with an empty text.
    cache.trimTo(0);
    assert.deepEqual(append(cache, 2, 7), [7, 8]);
    assert.equal(cache.reachable(1), 1);
    for (const used of [copy, cache]) used.dispose();
  });

  it('cannot be trimmed to where the next row would need rows that a window has dropped', () => {
    const { kept, capacity } = windowRows(WINDOW);
    const cache = new KVCache({ ...shape, window: WINDOW });
    append(cache, capacity);
    assert.equal(cache.reachable(1), 1, 'before a row was dropped');
    append(cache, 1);
    // The row after a text of this length attends to itself and to the 15 rows before it. The earliest of these is the
    // first row that was not dropped.
    const shortest = capacity - kept + WINDOW - 1;
    assert.deepEqual([cache.reachable(shortest), cache.reachable(shortest - 1)], [shortest, 0]);
    assert.throws(() => cache.trimTo(shortest - 1), RangeError);
    cache.dispose();
  });
});
