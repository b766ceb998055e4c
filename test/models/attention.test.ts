// Attention with capped scores, against plain JavaScript: grouped heads, with and without a mask.
import { cappedAttention, softCap } from '../../server/models/decoder/attention';
import { scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { additiveWindowMask } from '../../server/models/decoder/masks';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { attended, DIM, GROUPS, HEADS } from '../support/plainAttention';
import { seededIntegers } from '../support/seededRandom';

/** Wide enough that a cap of 3 is felt. */
const random = (seed: number, count: number) => seededIntegers(seed, count, -64, 64).map((k) => k / 16);

const CAP = 3;
const scale = DIM ** -0.5;

describe('capped attention', () => {
  for (const [rows, offset, window] of [
    [1, 0, 8],
    [1, 9, Infinity],
    [5, 0, Infinity],
    [4, 7, Infinity],
    [6, 3, 4],
  ] as const) {
    it(`squeezes the scores of ${rows} rows after ${offset} in a window of ${window}`, () => {
      const first = Math.max(0, offset - window + 1);
      const keys = offset + rows - first;
      const [q, k, v] = [1, 2, 3].map((seed) =>
        random(seed, seed === 1 ? HEADS * rows * DIM : GROUPS * keys * DIM),
      ) as [number[], number[], number[]];
      const mask = Array.from({ length: rows * keys }, (_, i) => {
        const [query, key] = [offset + Math.floor(i / keys), first + (i % keys)];
        return key <= query && query - key < window ? 0 : -Infinity;
      });
      const actual = scope(() =>
        valuesOf(
          cappedAttention(
            arrayOf([1, HEADS, rows, DIM], q),
            arrayOf([1, GROUPS, keys, DIM], k),
            arrayOf([1, GROUPS, keys, DIM], v),
            { scale, cap: CAP },
            additiveWindowMask(rows, offset, window, mx.float32),
          ),
        ),
      );
      const squeeze = (score: number) => CAP * Math.tanh(score / CAP);
      assertClose(actual, attended(q, k, v, mask, squeeze), 1e-5, 'attention');
    });
  }

  it('caps softly', () => {
    const x = [-100, -3, -0.01, 0, 1, 30, 1e6];
    const actual = scope(() => valuesOf(softCap(mx.constant(x, mx.float32), 30)));
    assertClose(
      actual,
      x.map((value) => 30 * Math.tanh(value / 30)),
      1e-6,
      'caps',
    );
  });
});
