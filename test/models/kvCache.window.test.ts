// A cache with a window answers as a full cache under a window mask does, after any appending, rejecting, undoing and
// copying, and holds a bounded number of rows.
import assert from 'node:assert/strict';
import { KVCache } from '../../server/models/decoder/kvCache';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { windowMask } from '../../server/models/decoder/masks';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { append, assertHolds, range, seenBy, SHAPE, bytesOf } from '../support/cacheRows';
import { seededRandom } from '../support/seededRandom';

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

  it('is a plain cache as long as all rows are inside the window', () => {
    const [cache, plain] = [sliding(2000, 600), new KVCache(SHAPE, 600)];
    for (const rows of [range(0, 256), range(256, 512), [512], range(513, 700)]) {
      assert.deepEqual(append(cache, rows), append(plain, rows));
      assert.equal(bytesOf(cache), bytesOf(plain));
      assert.equal(cache.offset, plain.offset);
      for (const length of [0, 1, plain.offset]) assert.equal(cache.reachable(length), length);
    }
    cache.dispose();
    plain.dispose();
  });

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

  it('takes more rows at once than it usually has room for', () => {
    const cache = sliding(16);
    append(cache, range(0, 900));
    assertHolds(append(cache, range(900, 4000)), range(885, 4000));
    assertHolds(append(cache, [4000]), range(3985, 4001));
    assert.ok(bytesOf(cache) < 2000 * BYTES_PER_ROW);
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

  it('can always be cut back by a block, and by all of a suggestion', () => {
    const cache = sliding(16);
    for (let i = 0; i < 100; i++) {
      const { offset } = cache;
      append(cache, range(0, i % 3 === 0 ? 256 : 24));
      const length = Math.max(0, offset - 300);
      assert.equal(cache.reachable(length), length);
    }
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

  it('says how far it can be cut back', () => {
    const cache = sliding(16);
    for (let i = 0; i < 10; i++) append(cache, range(256 * i, 256 * (i + 1)));
    const first = earliest(cache);
    for (const length of [first, first + 1, 2560]) assert.equal(cache.reachable(length), length);
    assert.equal(cache.reachable(9999), 2560);
    for (const length of [0, 1, first - 1]) assert.equal(cache.reachable(length), 0);
    cache.dispose();
  });

  it('can begin anew at any time', () => {
    const cache = sliding(16);
    for (let i = 0; i < 10; i++) append(cache, range(0, 256));
    const copy = cache.fork(0, 20);
    cache.trimTo(0);
    for (const each of [cache, copy]) {
      assert.equal(each.offset, 0);
      assertHolds(append(each, [3, 4]), [3, 4]);
      assert.equal(each.reachable(1), 1);
      each.dispose();
    }
  });

  it('is empty and usable after dispose', () => {
    const cache = sliding(16);
    for (let i = 0; i < 10; i++) append(cache, range(0, 256));
    cache.dispose();
    assert.equal(liveArrays(), before);
    assert.deepEqual([cache.offset, bytesOf(cache)], [0, 0]);
    assertHolds(append(cache, [3]), [3]);
    cache.dispose();
  });

  for (const [seed, window] of [16, 16, 100, 700].entries()) {
    it(`attends as a full cache under a mask, window ${window}, seed ${seed}`, () => {
      const walk = new RandomWalk(seed, window);
      while (walk.length < 3000 + 3 * window) walk.step();
      assert.ok(walk.drops > 2 && walk.forks > 5 && walk.undone > 5);
      walk.dispose();
    });
  }
});

/** The same random steps on a cache with a window and on a full one, with attention compared after each. */
class RandomWalk {
  drops = 0;
  forks = 0;
  undone = 0;
  readonly #random: () => number;
  #cache: KVCache;
  #full = new KVCache(SHAPE);

  constructor(
    seed: number,
    private readonly window: number,
  ) {
    this.#random = seededRandom(seed);
    this.#cache = sliding(window);
  }

  get length(): number {
    return this.#full.offset;
  }

  /** A pass over a chunk, a block or a single row, and then maybe a rejection, an undo or a copy. */
  step(): void {
    const { offset } = this.#cache;
    const first = earliest(this.#cache);
    const rows = [1, 1, this.#below(24) + 1, this.#below(24) + 1, 256][this.#below(5)] ?? 1;
    this.#attend(rows);
    if (earliest(this.#cache) > Math.max(1, first)) this.drops += 1;
    const choice = this.#below(10);
    if (choice < 5) this.#trim(offset + 1 + this.#below(rows));
    else if (choice === 5) this.#undo();
    else if (choice === 6) this.#fork();
  }

  dispose(): void {
    this.#cache.dispose();
    this.#full.dispose();
  }

  #attend(rows: number): void {
    const { offset } = this.#full;
    scope(() => {
      const { heads, headDim } = SHAPE;
      const [q, k, v] = [this.#noise(2 * heads, rows), this.#noise(heads, rows), this.#noise(heads, rows)];
      const near = this.#cache.append(k, v);
      const all = this.#full.append(k, v);
      const mask = windowMask(rows, offset, this.window, mx.float32);
      const actual = valuesOf(mx.attention(q, near.keys, near.values, headDim ** -0.5, mask));
      const whole = this.#wholeMask(offset, rows);
      assertClose(actual, valuesOf(mx.attention(q, all.keys, all.values, headDim ** -0.5, whole)), 1e-5);
      return undefined;
    });
    assert.equal(this.#cache.offset, this.#full.offset);
  }

  /** Over all rows of the full cache. */
  #wholeMask(offset: number, rows: number): mx.MxArray {
    const query = mx.reshape(mx.arange(offset, offset + rows), rows, 1);
    const key = mx.arange(0, offset + rows);
    const oldest = mx.reshape(mx.arange(offset - this.window, offset + rows - this.window), rows, 1);
    return mx.additiveMask(mx.logicalAnd(mx.lessEqual(key, query), mx.less(oldest, key)), mx.float32);
  }

  #trim(length: number): void {
    this.#cache.trimTo(length);
    this.#full.trimTo(length);
  }

  /** Now and then as far as it can. */
  #undo(): void {
    const first = earliest(this.#cache);
    this.#trim(this.#below(6) === 0 ? first : Math.max(first, this.length - this.#below(150)));
    this.undone += 1;
  }

  /** Goes on with copies; the originals are written once more, which must not show. */
  #fork(): void {
    const length = Math.max(earliest(this.#cache), this.length - this.#below(100));
    const copies = [
      this.#cache.fork(length, this.length + 50),
      this.#full.fork(length, this.length + 50),
    ] as const;
    this.#attend(3);
    this.dispose();
    [this.#cache, this.#full] = copies;
    this.forks += 1;
  }

  #noise(heads: number, rows: number): mx.MxArray {
    const values = Array.from({ length: heads * rows * SHAPE.headDim }, () => 4 * this.#random() - 2);
    return arrayOf([1, heads, rows, SHAPE.headDim], values);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
