// One model of experts in many files: whatever layout, names and packing, the answers are those of the reference's own.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu, packedCpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
import { inExpertLayout } from '../../support/expertLayout';
import { MELLUM, QWEN3_MOE, readCheckpoint } from '../../support/fixtures';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const IDS = seededIntegers(9, 12, 0, 255);
const single = readCheckpoint(QWEN3_MOE);

async function logitsOf(checkpoint: Checkpoint, device: Device = cpu, shards = 1): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint, shards), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}

describe('a Qwen3 checkpoint with experts', () => {
  let before: number;
  let usual: readonly number[];
  beforeEach(async () => {
    usual ??= await logitsOf(single);
    before = liveArrays();
  });
  afterEach(() => assert.equal(liveArrays(), before));

  for (const layout of ['stacked', 'fused'] as const) {
    it(`is the same model with ${layout} experts as with one tensor per expert`, async () => {
      const other = inExpertLayout(single, layout);
      assert.deepEqual(await logitsOf(other), usual);
      assert.deepEqual(await logitsOf(other, cpu, 3), usual);
    });
  }

  it('is the same model with stacked experts where it is Mellum 2', async () => {
    const mellum = readCheckpoint(MELLUM);
    assert.deepEqual(await logitsOf(inExpertLayout(mellum, 'stacked')), await logitsOf(mellum));
  });

  it('is another model with other settings of its experts', async () => {
    for (const config of [{ norm_topk_prob: false }, { num_experts_per_tok: 3 }])
      assert.notDeepEqual(await logitsOf(withConfig(single, config)), usual);
  });

  it('has experts in the layers that both fields leave', async () => {
    // Layer 1 is the dense one of the file; with a step of 2, layers 0 and 2 would be dense too.
    await assertRefused(
      () => logitsOf(withConfig(single, { decoder_sparse_step: 2 })),
      'tensor model.layers.0.mlp.gate_proj.weight',
    );
    await assertRefused(
      () => logitsOf(withConfig(single, { mlp_only_layers: [] })),
      'tensor model.layers.1.mlp.gate.weight',
    );
    assert.deepEqual(await logitsOf(withConfig(single, { decoder_sparse_step: undefined })), usual);
  });

  it('is refused when it packs the experts of a layer in several ways', async () => {
    const { quantised } = quantisedCheckpoint(single, { bits: 8, groupSize: 32 }, (path) =>
      path.endsWith('experts.3.up_proj') ? { bits: 4, groupSize: 32 } : undefined,
    );
    await assertRefused(() => logitsOf(quantised, packedCpu), 'all experts of a layer quantised alike');
  });

  const PATH = 'model.layers.0.mlp';
  for (const [title, layout, name, shape] of [
    ['a missing expert', 'single', 'experts.5.up_proj.weight', undefined],
    ['one expert too many', 'single', 'experts.8.up_proj.weight', [32, 64]],
    ['too few stacked experts', 'stacked', 'switch_mlp.up_proj.weight', [7, 32, 64]],
    ['fused experts without their other half', 'fused', 'experts.down_proj', undefined],
  ] as const)
    it(`is refused with ${title}`, async () => {
      const tensor = shape && floatTensor(shape, Array<number>(shape.reduce((a, b) => a * b, 1)).fill(0));
      const wrong = withTensors(inExpertLayout(single, layout), { [`${PATH}.${name}`]: tensor });
      await assertRefused(() => logitsOf(wrong), `${PATH}.${name}`);
    });

  for (const [field, value, mention] of [
    ['num_local_experts', -1, 'num_local_experts'],
    ['num_experts_per_tok', 9, 'num_experts_per_tok of at most 8'],
    ['num_experts_per_tok', '2', 'num_experts_per_tok'],
    ['moe_intermediate_size', undefined, 'moe_intermediate_size'],
    ['norm_topk_prob', 1, 'norm_topk_prob'],
    ['mlp_only_layers', [-1], 'mlp_only_layers'],
    ['decoder_sparse_step', 0, 'decoder_sparse_step'],
    ['use_sliding_window', true, 'use_sliding_window false'],
  ] as const) {
    it(`is refused with ${field} ${JSON.stringify(value) ?? 'missing'}`, async () => {
      await assertRefused(() => logitsOf(withConfig(single, { [field]: value })), 'config.json', mention);
    });
  }
});
