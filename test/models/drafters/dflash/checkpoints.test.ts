// Tests that a DFlash drafter drafts the same from different files. dflashConfig.test.ts tests its settings.
import assert from 'node:assert/strict';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { testDevice, packedDevice } from '../../../support/testDevice';
import { draftsOfFiles, type DraftsOptions } from '../../../support/draftsOfFiles';
import { quantisedCheckpoint } from '../../../support/quantisedCheckpoint';
import {
  storedAs,
  tinyDrafter,
  tinyTarget,
  withSelector,
  writeCheckpoint,
  type Checkpoint,
} from '../../../support/tinyCheckpoint';

describe('a DFlash checkpoint', () => {
  const plain = withSelector(tinyDrafter(), 8);
  let target: TargetModel;
  let arraysBefore: number;
  before(async () => (target = await loadTarget(writeCheckpoint(tinyTarget()), testDevice)));
  after(() => target.dispose());
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  async function assertSame(
    actual: Checkpoint,
    expected: Checkpoint,
    options: DraftsOptions = {},
    tolerance = 1e-6,
  ): Promise<void> {
    const [drafts, expectedDrafts] = [
      await draftsOfFiles(target, actual, options),
      await draftsOfFiles(target, expected),
    ];
    assertClose(drafts.logits, expectedDrafts.logits, tolerance, 'logits');
    assertClose(drafts.gains, expectedDrafts.gains, tolerance, 'gains of the candidate selector');
  }

  const renamed = ({ config, tensors }: Checkpoint, rename: (name: string) => string): Checkpoint => ({
    config,
    tensors: Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [rename(name), tensor])),
  });
  /** The checkpoint with `.weight` after the names of the selector's tables, as packed tables are always named. */
  const modules = renamed(plain, (name) => name.replace(/codebook$/, '$&.weight'));

  it('drafts the same in half precision, in shards, and with other tensor names', async () => {
    await assertSame(storedAs(plain, 'BF16'), plain);
    await assertSame(plain, plain, { shards: 3 });
    await assertSame(modules, plain);
    await assertSame(
      renamed(plain, (name) => `model.${name}`),
      plain,
    );
  });

  for (const bits of [4, 8])
    it(`drafts the same packed in ${bits} bits as expanded`, async () => {
      const { quantised, expanded } = quantisedCheckpoint(modules, { bits, groupSize: 64 });
      await assertSame(quantised, expanded, {}, 1e-4);
      await assertSame(
        renamed(quantised, (name) => `model.${name}`),
        expanded,
        {},
        1e-4,
      );
      await assertSame(quantised, expanded, { device: packedDevice }, 1e-3);
    });
});
