// A mixture of experts against plain JavaScript, in every layout in which checkpoints hold it, for one row and for
// many, dense and packed.
import assert from 'node:assert/strict';
import type { Device } from '../../server/models/mlx/device';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import { sparseMlp, type SparseSizes } from '../../server/models/decoder/sparseMlp';
import { arrayOf, assertClose, rowsOf, valuesOf } from '../support/arrayValues';
import { cpu, packedCpu } from '../support/cpu';
import { inExpertLayout, type ExpertLayout } from '../support/expertLayout';
import { floatTensor, tensorValues, type FileTensor } from '../support/fileTensor';
import { quantisedCheckpoint } from '../support/quantisedCheckpoint';
import { assertRefused } from '../support/refusal';
import { seededIntegers } from '../support/seededRandom';
import { withTensors, type Checkpoint } from '../support/tinyCheckpoint';
import { readWeights } from '../support/weightsReading';

const SIZES: SparseSizes = {
  hiddenSize: 64,
  moeIntermediateSize: 32,
  numExperts: 6,
  numExpertsPerTok: 2,
  normTopkProb: true,
  sharedExpertIntermediateSize: undefined,
};
const SHARED: SparseSizes = { ...SIZES, sharedExpertIntermediateSize: 96 };
const LAYOUTS: readonly ExpertLayout[] = ['single', 'stacked', 'fused'];
const PATH = 'layer.mlp';

const random = (seed: number, count: number) => seededIntegers(seed, count, -32, 32).map((k) => k / 64);

/** Random weights with one tensor per expert. */
function checkpoint({ hiddenSize, moeIntermediateSize, numExperts, ...sizes }: SparseSizes): Checkpoint {
  const shapes: Record<string, [number, number]> = { gate: [numExperts, hiddenSize] };
  const mlp = (path: string, width: number) => {
    shapes[`${path}.gate_proj`] = shapes[`${path}.up_proj`] = [width, hiddenSize];
    shapes[`${path}.down_proj`] = [hiddenSize, width];
  };
  for (let i = 0; i < numExperts; i++) mlp(`experts.${i}`, moeIntermediateSize);
  if (sizes.sharedExpertIntermediateSize !== undefined) {
    mlp('shared_expert', sizes.sharedExpertIntermediateSize);
    shapes['shared_expert_gate'] = [1, hiddenSize];
  }
  const tensors: Record<string, FileTensor> = {};
  for (const [i, [name, [rows, columns]]] of Object.entries(shapes).entries())
    tensors[`${PATH}.${name}.weight`] = floatTensor([rows, columns], random(100 + i, rows * columns));
  return { config: {}, tensors };
}

const product = (matrix: readonly number[], x: readonly number[]) =>
  Array.from({ length: matrix.length / x.length }, (_, row) =>
    x.reduce((sum, value, i) => sum + value * (matrix[row * x.length + i] ?? NaN), 0),
  );
const logistic = (x: number) => 1 / (1 + Math.exp(-x));

/** One row through the experts of a checkpoint with one tensor per expert. */
function reference({ tensors }: Checkpoint, sizes: SparseSizes, x: readonly number[]): number[] {
  const weight = (name: string) => tensorValues(tensors[`${PATH}.${name}.weight`] ?? assert.fail(name));
  const mlp = (path: string) => {
    const up = product(weight(`${path}.up_proj`), x);
    const gated = product(weight(`${path}.gate_proj`), x).map((g, i) => g * logistic(g) * (up[i] ?? NaN));
    return product(weight(`${path}.down_proj`), gated);
  };
  const exponentials = product(weight('gate'), x).map(Math.exp);
  const best = [...exponentials.keys()]
    .sort((a, b) => (exponentials[b] ?? 0) - (exponentials[a] ?? 0))
    .slice(0, sizes.numExpertsPerTok);
  const total = (of: readonly number[]) => of.reduce((sum, i) => sum + (exponentials[i] ?? NaN), 0);
  const whole = total(sizes.normTopkProb ? best : [...exponentials.keys()]);
  const result = x.map(() => 0);
  const mix = (share: number, output: readonly number[]) => {
    for (const [i, value] of output.entries()) result[i] = (result[i] ?? NaN) + share * value;
  };
  for (const expert of best) mix((exponentials[expert] ?? NaN) / whole, mlp(`experts.${expert}`));
  if (sizes.sharedExpertIntermediateSize !== undefined) {
    const [gate = NaN] = product(weight('shared_expert_gate'), x);
    mix(logistic(gate), mlp('shared_expert'));
  }
  return result;
}

async function outputs(
  from: Checkpoint,
  sizes: SparseSizes,
  x: number[],
  device: Device = cpu,
): Promise<number[]> {
  return await readWeights(from, device, (weights) => {
    const mlp = sparseMlp(weights, PATH, sizes);
    return scope(() => valuesOf(mlp.forward(arrayOf([1, x.length / sizes.hiddenSize, sizes.hiddenSize], x))));
  });
}

/** On a GPU few rows are not sorted by expert. */
const unsorted: Device = { ...cpu, name: 'gpu' };

describe('a sparse MLP', () => {
  let before: number;
  beforeEach(() => (before = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), before));

  for (const [title, sizes] of [
    ['', SIZES],
    [' with shares among all experts', { ...SIZES, normTopkProb: false }],
    [' with a shared expert', SHARED],
    [' whose rows visit one expert', { ...SIZES, numExpertsPerTok: 1, normTopkProb: false }],
    [' whose rows visit all experts', { ...SIZES, numExpertsPerTok: 6 }],
  ] as const) {
    const single = checkpoint(sizes);
    for (const layout of LAYOUTS) {
      it(`mixes the best experts of each row${title}, from ${layout} tensors`, async () => {
        for (const rows of [1, 2, 5, 40]) {
          const x = random(rows, rows * sizes.hiddenSize);
          const expected = Array.from({ length: rows }, (_, row) =>
            reference(single, sizes, rowsOf(x, sizes.hiddenSize, row, row + 1)),
          ).flat();
          for (const device of [cpu, unsorted]) {
            const actual = await outputs(inExpertLayout(single, layout), sizes, x, device);
            assertClose(actual, expected, 1e-4, `outputs of ${rows} rows (${device.name})`);
          }
        }
      });
    }
  }

  it('computes a row among others exactly as alone', async () => {
    const stacked = inExpertLayout(checkpoint(SIZES), 'stacked');
    const x = random(9, 16 * SIZES.hiddenSize);
    const together = await outputs(stacked, SIZES, x);
    for (let row = 0; row < 16; row++) {
      const [mine, own] = [
        rowsOf(x, SIZES.hiddenSize, row, row + 1),
        rowsOf(together, SIZES.hiddenSize, row, row + 1),
      ];
      assertClose(own, await outputs(stacked, SIZES, mine), 1e-6, `row ${row}`);
    }
  });

  it('equals its expanded form when quantised, with a router of more bits', async () => {
    const source = inExpertLayout(checkpoint(SHARED), 'stacked');
    const { quantised, expanded } = quantisedCheckpoint(source, { bits: 4, groupSize: 32 }, (path) =>
      path.endsWith('gate') ? { bits: 8, groupSize: 64 } : undefined,
    );
    for (const rows of [1, 7]) {
      const x = random(rows, rows * SHARED.hiddenSize);
      const exact = await outputs(expanded, SHARED, x);
      assertClose(await outputs(quantised, SHARED, x), exact, 1e-6, 'expanded');
      assertClose(await outputs(quantised, SHARED, x, packedCpu), exact, 1e-3, 'packed');
    }
  });

  for (const [title, layout, name, shape] of [
    ['a missing expert', 'single', 'experts.5.up_proj.weight', undefined],
    ['one expert too many', 'single', 'experts.6.up_proj.weight', [32, 64]],
    ['too few stacked experts', 'stacked', 'switch_mlp.up_proj.weight', [5, 32, 64]],
    ['stacked experts that lie on their side', 'stacked', 'switch_mlp.down_proj.weight', [6, 32, 64]],
    ['fused experts that lie on their side', 'fused', 'experts.gate_up_proj', [6, 64, 64 * 2]],
    ['fused experts without their other half', 'fused', 'experts.down_proj', undefined],
  ] as const) {
    it(`is refused with ${title}`, async () => {
      const tensor = shape && floatTensor(shape, Array<number>(shape.reduce((a, b) => a * b, 1)).fill(0));
      const wrong = withTensors(inExpertLayout(checkpoint(SIZES), layout), { [`${PATH}.${name}`]: tensor });
      await assertRefused(() => outputs(wrong, SIZES, random(1, 64)), `${PATH}.${name}`);
    });
  }
});
