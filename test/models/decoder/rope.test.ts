// Tests that the code for a GPU rotates like the code for a CPU, which goldens.test.ts compares with the reference, and
// one row like several. Also checks the angles of a published YaRN, whose ramp is longer than those of the goldens.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import type { Device } from '../../../server/models/mlx/device';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { newRope, ropeFrequencies } from '../../../server/models/decoder/rope';
import { parseRope } from '../../../server/models/decoder/ropeConfig';
import { arrayOf, assertClose, valuesOf } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { seededIntegers } from '../../support/seededRandom';
import { readWeights } from '../../support/weightsReading';

const HEADS = 2;
const ROWS = 3;
const DIM = 16;
const THETA = 1e4;
/** Makes the CPU run the code for a GPU. */
const gpuCode: Device = { ...testDevice, name: 'gpu' };

const YARN = { rope_type: 'yarn', factor: 8, original_max_position_embeddings: 64 };

const FORMS: Readonly<Record<string, object>> = {
  'without scaling': { rope_theta: THETA },
  'with linear scaling': { rope_theta: THETA, rope_scaling: { rope_type: 'linear', factor: 4 } },
  'with YaRN': { rope_theta: THETA, rope_scaling: YARN },
  'in the first dimensions only': { partial_rotary_factor: 0.25 },
};

describe('rotary embeddings', () => {
  for (const [name, form] of Object.entries(FORMS))
    it(`rotates the same with the code for a GPU as with the code for a CPU: ${name}`, async () => {
      const config = parseRope(new ConfigFields('config.json', { ...form }), DIM);
      const values = seededIntegers(1, HEADS * ROWS * DIM, -64, 64).map((k) => k / 32);
      const rotatedOn = (device: Device, offset: number): Promise<number[]> =>
        readWeights({ config: {}, tensors: {} }, device, (weights) => {
          const rotateAt = newRope(config, weights);
          return scope(() => valuesOf(rotateAt(offset, ROWS)(arrayOf([1, HEADS, ROWS, DIM], values))));
        });
      // Float32 angles lose precision far from the beginning.
      for (const offset of [0, 1, 63, 4000])
        assertClose(
          await rotatedOn(gpuCode, offset),
          await rotatedOn(testDevice, offset),
          1e-6 + offset * 3e-7,
        );
    });

  it('rotates a row bitwise the same alone and among others, with the code for a GPU', async () => {
    const values = seededIntegers(2, HEADS * ROWS * DIM, -64, 64).map((k) => k / 31);
    const config = new ConfigFields('config.json', { rope_theta: THETA, rope_scaling: YARN });
    await readWeights({ config: {}, tensors: {} }, gpuCode, (weights) => {
      const rotateAt = newRope(parseRope(config, DIM), weights);
      const rotated = (first: number, rows: number) =>
        scope(() => {
          const all = arrayOf([1, HEADS, ROWS, DIM], values);
          return valuesOf(rotateAt(70 + first, rows)(mx.slice(all, 2, first, first + rows)));
        });
      const together = rotated(0, ROWS);
      for (let row = 0; row < ROWS; row++) {
        const expected = together.filter((_, i) => Math.floor(i / DIM) % ROWS === row);
        assert.deepEqual(rotated(row, 1), expected, `row ${row}`);
      }
    });
  });

  it('follows the formula of YaRN', () => {
    const scaling = { rope_type: 'yarn', factor: 16, original_max_position_embeddings: 8192 };
    const config = new ConfigFields('config.json', { rope_theta: 5e5, rope_scaling: scaling });
    const frequencies = ropeFrequencies(parseRope(config, 128));
    // Computed in float64.
    for (const [pair, expected] of [
      [0, 1],
      [1, 8.146172339e-1],
      [18, 2.495540867e-2],
      [19, 1.920801558e-2],
      [26, 2.704382517e-3],
      [34, 1.104086906e-4],
      [35, 4.778106177e-5],
      [63, 1.534462994e-7],
    ] as const)
      assertClose([(frequencies[pair] ?? NaN) / expected], [1], 1e-8, `pair ${pair}`);
  });
});
