// Compares every target family with the reference implementation: the output of every layer, logits and greedy tokens,
// from float32 weights, from the same weights rounded to 8 bits, and under other tensor names that the family is
// published with.
import assert from 'node:assert/strict';
import type { Device } from '../../server/models/mlx/device';
import { scope } from '../../server/models/mlx/memory';
import { loadTarget } from '../support/loadModels';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { assertClose, valuesOf } from '../support/arrayValues';
import { assertContinues } from '../support/assertContinues';
import { assertStates, layerOutputs } from '../support/assertStates';
import { testDevice, packedDevice } from '../support/testDevice';
import { readCheckpoint, readGolden } from '../support/fixtures';
import { roundedCheckpoint } from '../support/quantisedCheckpoint';
import { TARGET_FAMILIES, type Rounding } from '../support/targetFamilies';
import { writeCheckpoint, type Checkpoint } from '../support/tinyCheckpoint';
import { runWhole } from '../support/tokenRun';

const TOLERANCE = 2e-3;
/** Distance between the best two logits below which a mismatch is a tie and no error. */
const TIE = 1e-3;
/** Allowed differences after rounding the weights to 8 bits, unless the family has its own. */
const ROUNDING: Rounding = { part: 0.05, tie: 0.3 };
/** Allowed difference of sums in another order, such as those of the same weights packed and expanded. */
const NOISE = 1e-4;

for (const {
  name,
  directory,
  rounding = ROUNDING,
  noise = NOISE,
  spellings = {},
  unrounded,
} of TARGET_FAMILIES) {
  describe(`${name} against its golden`, () => {
    const golden = readGolden(directory);
    const ids = golden('input_ids');
    let target: TargetModel;
    before(async () => (target = await loadTarget(directory, testDevice)));
    after(() => target.dispose());

    it('embeds tokens like the reference', () => {
      const embedded = scope(() => valuesOf(target.embed(tokenArray(ids, target.config.vocabSize))));
      assertClose(embedded, layerOutputs(target, golden, -1), TOLERANCE, 'embeddings');
    });

    for (const sizes of [[40], [1], [16, 1, 23]]) {
      it(`computes the hidden states and logits of the reference in chunks of ${sizes.join(', ')}`, () => {
        const logits = assertStates(target, golden, sizes, TOLERANCE);
        // Passes of single rows can use other kernels.
        assertClose(logits, golden('logits'), sizes[0] === 40 ? noise : TOLERANCE, 'logits');
      });
    }

    it('decodes the tokens of the reference greedily, one by one', () =>
      assertContinues(target, golden, TIE));

    const withModel = async <T>(
      checkpoint: Checkpoint,
      device: Device,
      use: (model: TargetModel) => T,
    ): Promise<T> => {
      const model = await loadTarget(writeCheckpoint(checkpoint), device);
      try {
        return use(model);
      } finally {
        model.dispose();
      }
    };

    it('stays close to the reference with weights rounded to 8 bits', async () => {
      const { quantised, expanded } = roundedCheckpoint(
        readCheckpoint(directory),
        { bits: 8, groupSize: 32 },
        unrounded,
      );
      const exact = await withModel(expanded, testDevice, (model) => runWhole(model, ids).logits);
      for (const device of [testDevice, packedDevice])
        await withModel(quantised, device, (model) => {
          const { hidden, logits } = runWhole(model, ids);
          const last = layerOutputs(target, golden, target.config.numHiddenLayers - 1);
          assertSmallPart(hidden, last, rounding.part, 'hidden states');
          assertSmallPart(logits, golden('logits'), rounding.part, 'logits');
          assertClose(logits, exact, noise, 'logits of the expanded weights');
          assertContinues(model, golden, rounding.tie);
        });
    });

    for (const [spelling, rename] of Object.entries(spellings)) {
      it(`computes the same from the tensor names of ${spelling}`, async () => {
        const { config, tensors } = readCheckpoint(directory);
        const renamed = Object.entries(tensors).map(([path, tensor]) => [rename(path), tensor] as const);
        assert.notDeepEqual(Object.keys(Object.fromEntries(renamed)), Object.keys(tensors));
        const checkpoint = { config, tensors: Object.fromEntries(renamed) };
        await withModel(checkpoint, testDevice, (model) =>
          assert.deepEqual(runWhole(model, ids), runWhole(target, ids)),
        );
      });
    }
  });
}

/** Asserts that the root mean square of the differences is at most `limit` times that of the expected values. */
function assertSmallPart(
  actual: readonly number[],
  expected: readonly number[],
  limit: number,
  what: string,
): void {
  assert.equal(actual.length, expected.length);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value * value, 0);
  const part = Math.sqrt(sum(actual.map((value, i) => value - (expected[i] ?? NaN))) / sum(expected));
  assert.ok(part <= limit, `${what} differ by ${part.toExponential(2)} of their size`);
}
