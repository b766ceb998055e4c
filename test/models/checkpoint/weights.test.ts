// Tests that weights are read exactly, compared with values computed here in JavaScript: every kind of 16-bit number,
// and packed modules of several widths in one file. test/models/goldens.test.ts has whole models of 8 bits.
import assert from 'node:assert/strict';
import { liveArrays } from '../../../server/models/mlx/memory';
import { assertClose, valuesOf } from '../../support/arrayValues';
import { testDevice, packedDevice } from '../../support/testDevice';
import { bitsTensor, floatTensor, tensorValues } from '../../support/fileTensor';
import { quantisedCheckpoint, quantisedTensor } from '../../support/quantisedCheckpoint';
import type { FileTensors } from '../../support/safetensorsFile';
import { seededIntegers } from '../../support/seededRandom';
import { matrixOf, readWeights } from '../../support/weightsReading';

const ROWS = 24;
const COLUMNS = 128;

describe('Weights', () => {
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  for (const dtype of ['BF16', 'F16'] as const) {
    it(`reads every kind of ${dtype} number exactly`, async () => {
      const exponent = dtype === 'BF16' ? 0x7f80 : 0x7c00;
      // Zero, the smallest and the largest of each sign, and many in between; no infinities.
      const ends = [0, 1, exponent - 1].flatMap((pattern) => [pattern, 0x8000 + pattern]);
      const bits = [...seededIntegers(1, 4000, 0, 0xffff), ...ends].filter(
        (pattern) => (pattern & exponent) !== exponent,
      );
      const tensor = bitsTensor([bits.length], bits, dtype);
      const values = await readWeights({ config: {}, tensors: { v: tensor } }, testDevice, (weights) =>
        valuesOf(weights.vector('v', bits.length)),
      );
      assert.deepEqual(values, tensorValues(tensor));
    });
  }

  it('reads modules of every width in one file, with or without their group size', async () => {
    const widths = [2, 3, 4, 5, 6, 8];
    const groupSizes = [64, 32, 64, 32, 64, 32];
    const parts = widths.map((bits, i) =>
      quantisedTensor([ROWS, COLUMNS], { bits, groupSize: groupSizes[i] ?? 64 }, bits),
    );
    const tensors = Object.fromEntries(
      parts.flatMap(({ weight, scales, biases }, i) =>
        Object.entries({ weight, scales, biases }).map(([name, tensor]) => [`m${widths[i]}.${name}`, tensor]),
      ),
    ) as FileTensors;
    const overrides = widths.map(
      (bits, i) => [`m${bits}`, i === 0 ? { bits, group_size: 64 } : { bits }] as const,
    );
    const config = { quantization: { bits: 4, group_size: 64, ...Object.fromEntries(overrides) } };
    const notes: string[] = [];
    for (const device of [testDevice, packedDevice]) {
      const matrices = await readWeights(
        { config, tensors },
        device,
        (weights) => widths.map((bits) => matrixOf(weights.linear(`m${bits}`, ROWS, COLUMNS), ROWS)),
        { onNote: (line) => notes.push(line) },
      );
      for (const [i, { values }] of parts.entries())
        assertClose(matrices[i] ?? [], values, 1e-6, `m${widths[i]}`);
    }
    // Only `packedDevice` gives a note: `testDevice` always expands all weights.
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', /^weights with 3, 5, 6 bits are expanded, as only 2, 4, 8 stay packed, in /);
  });

  it('expands stacked experts whose width has no kernel', async () => {
    const experts = {
      config: {},
      tensors: { 'e.weight': floatTensor([3, 8, 64], Array<number>(3 * 8 * 64).fill(0)) },
    };
    const { quantised, expanded } = quantisedCheckpoint(experts, { bits: 6, groupSize: 32 });
    const { 'e.weight': exact } = expanded.tensors;
    assert.ok(exact);
    for (const device of [testDevice, packedDevice]) {
      const values = await readWeights(quantised, device, (weights) => {
        const { weights: matrix } = weights.experts('e', [3, 8, 64]);
        return 'dense' in matrix ? valuesOf(matrix.dense) : assert.fail('kept packed');
      });
      assert.deepEqual(values, tensorValues(exact));
    }
  });
});
