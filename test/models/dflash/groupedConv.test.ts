// The convolution of DFlash 2 on numbers that were worked out by hand: what a row sees, and what the deltas do.
import assert from 'node:assert/strict';
import { groupedConv } from '../../../server/models/drafters/blockDrafter/groupedConv';
import { scope } from '../../../server/models/mlx/memory';
import { arrayOf, assertClose, valuesOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
import { readWeights } from '../../support/weightsReading';

const [TAPS, HIDDEN] = [2, 4];
/** By side, tap and channel. The second side is another one, so that a mix-up shows. */
const BASE = [...[1, 1, 1, 1, 0.5, 0.5, 0, 0], ...Array<number>(TAPS * HIDDEN).fill(7)];
/** By row, side, tap and group; the nines are of a row before the block. */
const DELTAS = [
  ...[0, 0, 9, 9, 5, 5, 5, 5],
  ...[0.1, -0.1, -0.5, 1, 5, 5, 5, 5],
  ...[0, 0.2, 0.5, 0, 5, 5, 5, 5],
];
const ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

describe('a grouped dynamic convolution', () => {
  const checkpoint = {
    config: {},
    tensors: {
      'conv.base_kernel': floatTensor([2, TAPS, HIDDEN], BASE),
      'conv.kernel_projection.weight': floatTensor([8, HIDDEN], Array<number>(8 * HIDDEN).fill(0.5)),
    },
  };

  it('adds to each row what its taps make of the rows before it, none of which is before the block', async () => {
    const result = await readWeights(checkpoint, cpu, (weights) => {
      const { apply } = groupedConv(weights, 'conv', { taps: TAPS, groupSize: 2 }, HIDDEN);
      return scope(() =>
        valuesOf(apply(arrayOf([1, 3, HIDDEN], ROWS), arrayOf([3, 2, TAPS, 2, 1], DELTAS), 0)),
      );
    });
    assertClose(result, [1, 2, 3, 4, 5.5, 6.6, 9.3, 11.2, 14, 16, 13.2, 14.4], 1e-6);
  });

  it('makes deltas of each row by itself, for both sides', async () => {
    const [shape, values] = await readWeights(checkpoint, cpu, (weights) => {
      const { deltas } = groupedConv(weights, 'conv', { taps: TAPS, groupSize: 2 }, HIDDEN);
      let made: readonly number[] = [];
      scope(() => {
        const array = deltas(arrayOf([1, 3, HIDDEN], ROWS));
        made = array.shape;
        return undefined;
      });
      return [made, scope(() => valuesOf(deltas(arrayOf([1, 3, HIDDEN], ROWS))))] as const;
    });
    assert.deepEqual(shape, [3, 2, TAPS, 2, 1]);
    assertClose(
      values,
      [5, 13, 21].flatMap((half) => Array<number>(8).fill(half)),
      1e-6,
    );
  });
});
