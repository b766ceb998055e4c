// A KVCache behaves like a list of rows: appending is concatenation, and trimming is as if the rows had never
// been written.
import assert from 'node:assert/strict';
import { KVCache } from '../../server/models/decoder/kvCache';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { valuesOf } from '../support/arrayValues';
import { append, assertHolds, block, contents, range, SHAPE, bytesOf } from '../support/cacheRows';

describe('KVCache', () => {
  let before: number;
  let cache: KVCache;
  beforeEach(() => {
    before = liveArrays();
    cache = new KVCache(SHAPE);
  });
  afterEach(() => {
    cache.dispose();
    assert.equal(liveArrays(), before);
  });

  it('allocates nothing before the first row', () => {
    assert.equal(cache.offset, 0);
    assert.equal(bytesOf(cache), 0);
    assert.deepEqual(cache.arrays(), []);
  });

  it('returns the concatenation of all that was appended', () => {
    assertHolds(append(cache, [1]), [1]);
    assertHolds(append(cache, [2, 3, 4]), [1, 2, 3, 4]);
    assertHolds(append(cache, [5]), [1, 2, 3, 4, 5]);
    assert.equal(cache.offset, 5);
  });

  it('owns two arrays, however often it is written', () => {
    for (const row of range(0, 20)) {
      append(cache, [row]);
      assert.equal(liveArrays(), before + 2);
    }
    assert.equal(cache.arrays().length, 2);
  });

  for (const steps of [[256, 1], [255, 2, 300], [100, 200, 300], [700]] as const) {
    it(`keeps the rows when it grows: ${steps.join(' + ')}`, () => {
      const rows: number[] = [];
      for (const step of steps) {
        const added = range(rows.length, rows.length + step);
        rows.push(...added);
        assertHolds(append(cache, added), rows);
      }
      const capacity = Math.ceil(rows.length / 256) * 256;
      assert.equal(bytesOf(cache), 2 * 4 * SHAPE.heads * capacity * SHAPE.headDim);
    });
  }

  it('allocates what it is told to expect at once', () => {
    const expecting = new KVCache(SHAPE, 600);
    append(expecting, [1]);
    const bytes = bytesOf(expecting);
    assert.equal(bytes, 2 * 4 * SHAPE.heads * 768 * SHAPE.headDim);
    append(expecting, range(2, 700));
    assert.equal(bytesOf(expecting), bytes);
    expecting.dispose();
  });

  it('works on after many steps that were built before any was evaluated', () => {
    scope(() => {
      for (const row of range(0, 300)) cache.append(block([row], 1), block([row], -1));
      return undefined;
    });
    assertHolds(append(cache, [300]), range(0, 301));
  });

  it('reaches every length that it holds', () => {
    append(cache, [1, 2, 3]);
    for (const length of [0, 1, 3]) assert.equal(cache.reachable(length), length);
    assert.equal(cache.reachable(9), 3);
  });

  describe('trimTo', () => {
    it('touches no array', () => {
      append(cache, range(0, 10));
      const buffers = cache.arrays();
      cache.trimTo(4);
      assert.equal(cache.offset, 4);
      assert.ok(cache.arrays().every((array, i) => array === buffers[i]));
    });

    it('equals never having written the rows', () => {
      append(cache, [1, 2, 3, 90, 91, 92]);
      cache.trimTo(3);
      assertHolds(append(cache, [4]), [1, 2, 3, 4]);
      assertHolds(append(cache, [5, 6, 7]), [1, 2, 3, 4, 5, 6, 7]);
    });

    it('never lets an overwritten row through, also when the cache grows meanwhile', () => {
      append(cache, range(0, 250));
      append(cache, range(900, 906));
      cache.trimTo(250);
      assertHolds(append(cache, range(250, 270)), range(0, 270));
      cache.trimTo(100);
      assertHolds(append(cache, [100]), range(0, 101));
    });

    it('holds over many rounds of drafting and rejecting', () => {
      const committed: number[] = [];
      for (let round = 0; round < 60; round++) {
        const drafted = range(committed.length, committed.length + 9).map((row) => row + 1000 * round);
        const kept = 1 + ((round * 7) % 9);
        append(cache, drafted);
        cache.trimTo(committed.length + kept);
        committed.push(...drafted.slice(0, kept));
      }
      assertHolds(append(cache, [7]), [...committed, 7]);
    });

    it('accepts everything and nothing', () => {
      append(cache, [1, 2]);
      cache.trimTo(2);
      cache.trimTo(0);
      assertHolds(append(cache, [3]), [3]);
    });

    it('leaves a view that was read before as it was', () => {
      scope(() => {
        const { keys } = cache.append(block([1, 2], 1), block([1, 2], -1));
        cache.trimTo(1);
        cache.append(block([9], 1), block([9], -1));
        assert.deepEqual(valuesOf(keys), contents([1, 2], 1));
        return undefined;
      });
    });

    for (const length of [-1, 3]) {
      it(`refuses ${length} of 2 rows`, () => {
        append(cache, [1, 2]);
        assert.throws(() => cache.trimTo(length), RangeError);
        assert.equal(cache.offset, 2);
      });
    }
  });

  describe('fork', () => {
    for (const length of [0, 1, 4, 6])
      it(`copies ${length} of 6 rows, which neither side changes for the other`, () => {
        append(cache, range(0, 6));
        const copy = cache.fork(length, 10);
        assert.equal(copy.offset, length);
        assertHolds(append(cache, [6]), range(0, 7));
        assertHolds(append(copy, [50, 51]), [...range(0, length), 50, 51]);
        cache.trimTo(0);
        append(cache, range(900, 910));
        copy.trimTo(length);
        assertHolds(append(copy, [60]), [...range(0, length), 60]);
        copy.dispose();
        assertHolds(append(cache, [7]), [...range(900, 910), 7]);
        assert.equal(liveArrays(), before + 2);
      });

    it('outlives what it was copied from, also when nothing was evaluated yet', () => {
      const original = new KVCache(SHAPE);
      append(original, range(0, 300));
      const copy = original.fork(290, 1);
      append(original, [300]);
      original.dispose();
      assertHolds(append(copy, [8]), [...range(0, 290), 8]);
      copy.dispose();
    });

    it('has room for what it is told to expect, and leaves out what was trimmed', () => {
      append(cache, range(0, 600));
      cache.trimTo(20);
      const copy = cache.fork(10, 300);
      append(copy, [1]);
      assert.equal(bytesOf(copy), 2 * 4 * SHAPE.heads * 512 * SHAPE.headDim);
      copy.dispose();
      const unused = new KVCache(SHAPE).fork(0, 300);
      assert.equal(bytesOf(unused), 0);
    });
  });

  it('is empty and usable after dispose', () => {
    append(cache, [1, 2]);
    cache.dispose();
    assert.equal(liveArrays(), before);
    assert.equal(cache.offset, 0);
    assert.equal(bytesOf(cache), 0);
    assertHolds(append(cache, [3]), [3]);
  });

  it('may be disposed without ever being used', () => {
    new KVCache(SHAPE).dispose();
    assert.equal(liveArrays(), before);
  });

  it('refuses rows of another shape and keeps what it has', () => {
    append(cache, [1]);
    assert.throws(() => scope(() => cache.append(mx.zeros([1, 2, 1, 5], mx.float32), block([1], -1))));
    assert.equal(cache.offset, 1);
    assertHolds(append(cache, [2]), [1, 2]);
  });
});
