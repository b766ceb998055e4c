// Tests that logits are float32 on a device that computes in bfloat16, and that scales of float16 lose no precision
// there.
import assert from 'node:assert/strict';
import { core } from '../../../server/models/mlx/binding';
import type { Device } from '../../../server/models/mlx/device';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { outputHead } from '../../../server/models/decoder/outputHead';
import type { Weights } from '../../../server/models/checkpoint/weights';
import { arrayOf, assertClose, valuesOf } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { floatTensor } from '../../support/fileTensor';
import { quantisedTensor } from '../../support/quantisedCheckpoint';
import { readWeights } from '../../support/weightsReading';

const [OUT, IN] = [8, 256];
const PACKING = { bits: 4, groupSize: 64 };
const bfloat16Gpu: Device = { name: 'gpu', dtype: core.bfloat16, keepsQuantised: true };

const { weight, scales, biases, values } = quantisedTensor([OUT, IN], PACKING, 1);
const config = { quantization: { group_size: PACKING.groupSize, bits: PACKING.bits } };
const packed = {
  config,
  tensors: { 'head.weight': weight, 'head.scales': scales, 'head.biases': biases },
};
/** Values that bfloat16 represents exactly. */
const x = Array.from({ length: IN }, (_, i) => ((i * 37) % 64) / 8 - 4);
const input = () => mx.astype(arrayOf([1, 1, IN], x), core.bfloat16);

const product = (matrix: readonly number[]) =>
  Array.from({ length: OUT }, (_, row) =>
    x.reduce((sum, value, column) => sum + value * (matrix[row * IN + column] ?? NaN), 0),
  );
/** Returns the values of an array after checking its type. */
const read = (array: mx.MxArray, dtype: mx.Dtype) => {
  assert.equal(array.dtype, dtype);
  return valuesOf(mx.astype(array, mx.float32));
};
const headOf = (weights: Weights) => weights.linear('head', OUT, IN);

describe('an output head', () => {
  it('multiplies packed weights in float32', async () => {
    const logits = await readWeights(packed, bfloat16Gpu, (weights) => {
      const logitsOf = outputHead(weights, headOf(weights));
      return scope(() => read(logitsOf(input()), mx.float32));
    });
    assertClose(logits, product(values), 1e-4, 'logits');
  });
});

describe('packed weights with scales of float16', () => {
  // Most need 9 or 10 significant bits; bfloat16 has 8.
  const scaleValues = Array.from({ length: (OUT * IN) / PACKING.groupSize }, (_, i) => (683 + i) / 2 ** 16);
  const zeros = scaleValues.map(() => 0);
  const shape = [OUT, IN / PACKING.groupSize];
  const checkpoint = {
    config,
    tensors: {
      'head.weight': weight,
      'head.scales': floatTensor(shape, scaleValues, 'F16'),
      'head.biases': floatTensor(shape, zeros, 'F16'),
    },
  };

  it('keeps float16 scales exactly, and computes outputs in the type of the device', async () => {
    await readWeights(checkpoint, bfloat16Gpu, (weights) => {
      const { weights: matrix } = headOf(weights);
      assert.ok('scales' in matrix);
      assert.deepEqual(
        scope(() => read(matrix.scales, mx.float32)),
        scaleValues,
      );
    });
    const [productRow, embeddedRow] = await readWeights(checkpoint, bfloat16Gpu, (weights) => {
      const embedding = weights.embedding('head', OUT, IN);
      return scope(() => [
        read(embedding.asLinear().forward(input()), core.bfloat16),
        read(embedding.embed(mx.array([3], mx.int32)), core.bfloat16),
      ]);
    });
    const expanded = await readWeights(checkpoint, testDevice, (weights) =>
      scope(() => valuesOf(weights.embedding('head', OUT, IN).embed(mx.arange(0, OUT)))),
    );
    const assertRelativelyClose = (actual: number[] | undefined, expected: number[], what: string) =>
      assertClose(
        (actual ?? []).map((value, i) => (expected[i] ? value / (expected[i] ?? 1) : value)),
        expected.map((value) => (value ? 1 : 0)),
        2 ** -8,
        what,
      );
    assertRelativelyClose(productRow, product(expanded), 'product');
    assertRelativelyClose(embeddedRow, expanded.slice(3 * IN, 4 * IN), 'embedded row');
  });
});
