// Attention of heads that share keys, against plain JavaScript: however many rows, with and without a mask.
import { groupedAttention } from '../../server/models/groupedAttention';
import { scope } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import { arrayOf, assertClose, valuesOf } from '../support/arrayValues';
import { attended, DIM, GROUPS, HEADS } from '../support/plainAttention';
import { seededIntegers } from '../support/seededRandom';

const BEFORE = 5;

const random = (seed: number, count: number) => seededIntegers(seed, count, -64, 64).map((k) => k / 16);

describe('grouped attention', () => {
  for (const rows of [1, 2, 7, 16, 17])
    for (const causal of [false, true])
      it(`has ${rows} rows see ${causal ? 'what comes before them' : 'everything'}`, () => {
        const keys = BEFORE + rows;
        const q = random(1, HEADS * rows * DIM);
        const k = random(2, GROUPS * keys * DIM);
        const v = random(3, GROUPS * keys * DIM);
        const mask = Array.from({ length: rows * keys }, (_, i) =>
          causal && i % keys > BEFORE + Math.floor(i / keys) ? -Infinity : 0,
        );
        const actual = scope(() =>
          valuesOf(
            groupedAttention(
              arrayOf([1, HEADS, rows, DIM], q),
              arrayOf([1, GROUPS, keys, DIM], k),
              arrayOf([1, GROUPS, keys, DIM], v),
              DIM ** -0.5,
              causal ? mx.causalMask(rows, BEFORE, mx.float32) : undefined,
            ),
          ),
        );
        assertClose(actual, attended(q, k, v, mask), 1e-5, 'attention');
      });
});
