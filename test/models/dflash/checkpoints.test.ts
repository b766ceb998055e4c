// One drafter in many files: prefixed, quantised, with its settings in either place, it drafts the same.
// The target is a tiny random one.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { commitTaps, draftLogits } from '../../support/draftRounds';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { seededIntegers } from '../../support/seededRandom';
import {
  storedAs,
  tinyDrafter,
  tinyTarget,
  withConfig,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';

describe('a DFlash checkpoint', () => {
  const plain = tinyDrafter();
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(writeCheckpoint(tinyTarget()), cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  async function draftsOf(checkpoint: Checkpoint, device: Device = cpu, shards = 1): Promise<number[]> {
    const drafter = await loadDrafter(writeCheckpoint(checkpoint, shards), target.config, device);
    const state = drafter.newState(target, 1);
    const width = drafter.taps.length * target.config.hiddenSize;
    const taps = seededIntegers(3, 8 * width, -64, 64).map((k) => k / 32);
    commitTaps(state, [1, 2, 3, 4, 5, 6, 7, 8], taps);
    const logits = draftLogits(state, 9, drafter.maxDraftTokens);
    state.dispose();
    drafter.dispose();
    return logits;
  }

  async function assertSameDrafter(actual: Checkpoint, expected: Checkpoint): Promise<void> {
    assertClose(await draftsOf(actual), await draftsOf(expected), 1e-6, 'draft logits');
  }

  const prefixed = (checkpoint: Checkpoint): Checkpoint => ({
    ...checkpoint,
    tensors: Object.fromEntries(
      Object.entries(checkpoint.tensors).map(([name, tensor]) => [`model.${name}`, tensor]),
    ),
  });

  it('may have all its names prefixed with "model."', async () => {
    await assertSameDrafter(prefixed(plain), plain);
    const { quantised } = quantisedCheckpoint(plain, { bits: 8, groupSize: 32 });
    await assertSameDrafter(prefixed(quantised), quantised);
  });

  it('is the same in half precision and in shards', async () => {
    await assertSameDrafter(storedAs(plain, 'BF16'), plain);
    assertClose(await draftsOf(plain, cpu, 3), await draftsOf(plain), 1e-6, 'draft logits');
  });

  for (const bits of [4, 8]) {
    it(`equals its expanded form with ${bits} bits`, async () => {
      const { quantised, expanded } = quantisedCheckpoint(plain, { bits, groupSize: 64 });
      const exact = await draftsOf(expanded);
      assertClose(await draftsOf(quantised), exact, 1e-6, 'expanded');
      assertClose(await draftsOf(quantised, packedCpu), exact, 1e-3, 'packed');
    });
  }

  it('may have its block settings at the top or in dflash_config', async () => {
    const { block_size, dflash_config } = plain.config;
    const inner = { dflash_config: { ...(dflash_config as object), block_size }, block_size: undefined };
    await assertSameDrafter(withConfig(plain, inner), plain);
    const flat = { ...(dflash_config as object), dflash_config: undefined };
    await assertSameDrafter(withConfig(plain, flat), plain);
  });

  it('need not say how many layers its target has', async () => {
    await assertSameDrafter(withConfig(plain, { num_target_layers: undefined }), plain);
  });
});
