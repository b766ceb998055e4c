// The memory of a gated delta layer behaves like a list of rows as far as it reaches back: after trimming or forking
// it holds the state of the rows that are left, as computed row by row.
import assert from 'node:assert/strict';
import { advance, blockMasks, deltaRule, MAX_BLOCK } from '../../../server/models/hybrid/deltaRule';
import { channelsOf } from '../../../server/models/hybrid/projections';
import { RecurrentCache } from '../../../server/models/hybrid/recurrentCache';
import { dispose, keep, liveArrays, scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { arrayOf, assertClose, valuesOf } from '../../support/arrayValues';
import { deltaText, inputsOf, SIZES, STATE_SIZE, stepByStep } from '../../support/deltaSteps';
import { seededIntegers } from '../../support/seededRandom';

const TAPS = 4;
const LAYER = {
  hiddenSize: 1,
  rmsNormEps: 1e-6,
  linearNumKeyHeads: SIZES.keyHeads,
  linearNumValueHeads: SIZES.keyHeads * SIZES.sharing,
  linearKeyHeadDim: SIZES.keyDim,
  linearValueHeadDim: SIZES.valueDim,
  linearConvKernelDim: TAPS,
};
const CHANNELS = channelsOf(LAYER);
const TOLERANCE = 1e-5;
const TEXT = deltaText(800, 5);

let constants: mx.MxArray[];
let blocks: ReturnType<typeof blockMasks>;

/** Rows of the text from the cache's own length on, as a layer reads them: only the last block is recorded. */
function read(cache: RecurrentCache, count: number): void {
  scope(() => {
    let { memory, inputs } = cache.state();
    const start = cache.offset;
    for (const { from, to, mask } of blocks(count)) {
      const { rows } = deltaRule(inputsOf(TEXT.slice(start + from, start + to)), memory, mask);
      if (to < count) {
        memory = advance(memory, rows);
        inputs = inputsBefore(start + to);
      } else {
        cache.append(count, { memory, inputs }, { ...rows, inputs: convolved(start + from, start + to) });
      }
    }
    return undefined;
  });
}

/** Inputs of the convolution: each row has its own number. */
function convolved(from: number, to: number): mx.MxArray {
  const values = Array.from({ length: to - from }, (_, i) =>
    Array.from({ length: CHANNELS }, (_, channel) => (from + i + 1) * (1 - channel / 4)),
  );
  return arrayOf([1, to - from, CHANNELS], values.flat());
}

function inputsBefore(length: number): mx.MxArray {
  const held = Math.min(TAPS - 1, length);
  const own = convolved(length - held, length);
  return held === TAPS - 1
    ? own
    : mx.concatenate([mx.zeros([1, TAPS - 1 - held, CHANNELS], mx.float32), own], 1);
}

function assertHolds(cache: RecurrentCache, length: number): void {
  assert.equal(cache.offset, length);
  const { memory, inputs } = scope(() => {
    const state = cache.state();
    return { memory: valuesOf(state.memory), inputs: valuesOf(state.inputs) };
  });
  const { state } = stepByStep(TEXT.slice(0, length), Array<number>(STATE_SIZE).fill(0));
  assertClose(memory, state, TOLERANCE, `the state after ${length} rows`);
  assert.deepEqual(
    inputs,
    scope(() => valuesOf(inputsBefore(length))),
  );
}

describe('RecurrentCache', () => {
  let idle: number;
  let cache: RecurrentCache;
  before(() => {
    constants = [];
    blocks = blockMasks({
      constant: (values) => {
        const array = keep(mx.constant(values, mx.float32));
        constants.push(array);
        return array;
      },
    });
  });
  after(() => {
    dispose(constants);
  });
  beforeEach(() => {
    idle = liveArrays();
    cache = new RecurrentCache(LAYER, mx.float32);
  });
  afterEach(() => {
    cache.dispose();
    assert.equal(liveArrays(), idle);
  });

  it('holds nothing before the first row', () => {
    assert.equal(cache.offset, 0);
    assert.equal(cache.reachable(5), 0);
    assert.deepEqual(cache.arrays(), []);
  });

  it('has the state after any passes', () => {
    for (const count of [1, 1, 5, 16, 1, 64, 65, 200, 2]) {
      read(cache, count);
      assertHolds(cache, cache.offset);
    }
  });

  for (const rows of [1, 2, 3, 9, 16, 17, 64])
    it(`goes back to every row of a pass of ${rows}, and reads on from there`, () => {
      for (let kept = 0; kept <= rows; kept++) {
        cache.dispose();
        read(cache, 5);
        read(cache, rows);
        assert.equal(cache.reachable(5 + kept), 5 + kept);
        cache.trimTo(5 + kept);
        assertHolds(cache, 5 + kept);
        read(cache, 2);
        assertHolds(cache, 7 + kept);
      }
    });

  it('goes back over several passes, and then further', () => {
    for (const count of [3, 1, 1, 7, 16, 1]) read(cache, count);
    for (const length of [28, 27, 12, 11, 5, 4, 3, 2, 1, 0]) {
      cache.trimTo(length);
      assertHolds(cache, length);
    }
  });

  it('goes back by 64 rows at least, however many passes they took', () => {
    for (const count of seededIntegers(3, 120, 1, 5)) {
      read(cache, count);
      const reach = Math.max(0, cache.offset - 64);
      assert.equal(cache.reachable(reach), reach);
    }
    const { offset } = cache;
    for (const length of [offset - 40, offset - 64]) {
      cache.trimTo(length);
      assertHolds(cache, length);
    }
  });

  it('goes back to the last 64 rows of a long pass, and to a place at the end of the long one before', () => {
    read(cache, 256);
    read(cache, 256);
    read(cache, 30);
    for (const [wanted, reached] of [
      [542, 542],
      [460, 460],
      [448, 448],
      [447, 192],
      [192, 192],
      [191, 0],
    ] as const)
      assert.equal(cache.reachable(wanted), reached);
    for (const length of [450, 448, 192]) {
      cache.trimTo(length);
      assertHolds(cache, length);
    }
    read(cache, 20);
    assertHolds(cache, 212);
    cache.trimTo(0);
    assertHolds(cache, 0);
  });

  it('keeps the place that it has gone back to rather than a later one', () => {
    read(cache, 256);
    read(cache, 256);
    read(cache, 100);
    assert.equal(cache.reachable(500), 448);
    for (let key = 0; key < 3; key++) {
      cache.trimTo(448);
      read(cache, 256 + key);
      read(cache, 70 + key);
      assert.equal(cache.reachable(500), 448);
    }
    assertHolds(cache, 448 + 256 + 70 + 4);
  });

  it('refuses what it cannot reach, and says what it can', () => {
    read(cache, 300);
    for (const length of [-1, 100, 301])
      assert.throws(() => cache.trimTo(length), /RangeError: Expected a length that can be reached of 300/);
    assert.throws(() => cache.fork(100), RangeError);
    assertHolds(cache, 300);
  });

  it('holds over many rounds of drafting and rejecting, with a bounded number of arrays', () => {
    let most = 0;
    for (const [i, kept] of seededIntegers(4, 60, 1, 9).entries()) {
      const { offset } = cache;
      read(cache, 9);
      cache.trimTo(offset + kept);
      if (i % 10 === 0) assertHolds(cache, offset + kept);
      most = Math.max(most, cache.arrays().length);
    }
    assertHolds(cache, cache.offset);
    assert.ok(most <= 42, `${most} arrays`);
    assert.equal(liveArrays() - idle, cache.arrays().length);
  });

  it('forks at any row that it reaches, and both go their own way', () => {
    for (const count of [10, 1, 8]) read(cache, count);
    for (const length of [19, 15, 11, 4, 0]) {
      const copy = cache.fork(length);
      assertHolds(copy, length);
      read(copy, 6);
      assertHolds(copy, length + 6);
      copy.dispose();
      assertHolds(cache, 19);
    }
    const copy = cache.fork(12);
    cache.dispose();
    assertHolds(copy, 12);
    copy.dispose();
  });

  it('forgets all with dispose, and can be used again', () => {
    read(cache, 20);
    cache.dispose();
    assert.equal(liveArrays(), idle);
    read(cache, 3);
    assertHolds(cache, 3);
  });

  it('holds a state and the record of one block after a long pass', () => {
    read(cache, 256);
    const bytes = cache.arrays().reduce((sum, { nbytes }) => sum + nbytes, 0);
    const state = 4 * (STATE_SIZE + (TAPS - 1) * CHANNELS);
    const { keyHeads, sharing, keyDim, valueDim } = SIZES;
    const row = 4 * (keyHeads * keyDim + keyHeads * sharing * (valueDim + 1) + CHANNELS);
    assert.equal(bytes, state + MAX_BLOCK * row);
  });
});
