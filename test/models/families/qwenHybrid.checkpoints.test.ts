// One hybrid in many files: whatever layout, names and packing, the answers are those of the reference's own.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../../server/models/families/registry';
import { assertClose } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { inExpertLayout } from '../../support/expertLayout';
import { QWEN3_5, QWEN3_NEXT, readCheckpoint } from '../../support/fixtures';
import { inImageModel, inMlxLayout, withSeparateProjections } from '../../support/hybridLayout';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const IDS = seededIntegers(9, 12, 0, 255);
const FAMILIES = { QWEN3_5: readCheckpoint(QWEN3_5), QWEN3_NEXT: readCheckpoint(QWEN3_NEXT) };
const HEADS = { keyHeads: 2, keyDim: 16, sharing: 2, valueDim: 16 };

async function logitsOf(checkpoint: Checkpoint, device: Device = cpu, shards = 1): Promise<number[]> {
  const target = await loadTarget(writeCheckpoint(checkpoint, shards), device);
  const { logits } = runWhole(target, IDS);
  target.dispose();
  return logits;
}

for (const [name, own] of Object.entries(FAMILIES)) {
  describe(`a ${name} checkpoint`, () => {
    let before: number;
    let usual: readonly number[];
    beforeEach(async () => {
      usual ??= await logitsOf(own);
      before = liveArrays();
    });
    afterEach(() => assert.equal(liveArrays(), before));

    it('is the same model as mlx-lm stores it', async () => {
      assert.deepEqual(await logitsOf(inMlxLayout(own), cpu, 2), usual);
    });

    it('is the same model as the text part of one that reads images', async () => {
      const published = inImageModel(own, {
        modelType: 'qwen3_5',
        rename: (tensor) => tensor.replace(/^model\./, 'model.language_model.'),
        others: ['model.visual.patch_embed.proj.weight', 'mtp.fc.weight', 'mtp.layers.0.mlp.up_proj.weight'],
      });
      const modelType = name === 'QWEN3_NEXT' ? 'qwen3_next' : 'qwen3_5';
      assert.deepEqual(await logitsOf(withConfig(published, { model_type: modelType })), usual);
      const ofMlx = inImageModel(inMlxLayout(own), {
        modelType,
        rename: (tensor) => `language_model.${tensor}`,
        others: ['vision_tower.patch_embed.proj.weight', 'language_model.mtp.fc.weight'],
      });
      assert.deepEqual(await logitsOf(ofMlx), usual);
    });

    for (const device of [cpu, packedCpu])
      it(`is packed in 8 bits (${device.keepsQuantised ? 'kept' : 'expanded'})`, async () => {
        const packing = { bits: 8, groupSize: 32 };
        const { quantised, expanded } = quantisedCheckpoint(inMlxLayout(own), packing, (path) =>
          path.endsWith('mlp.gate') || path.endsWith('in_proj_a') ? false : undefined,
        );
        const exact = await logitsOf(expanded);
        const rename = (tensor: string): string => `language_model.${tensor}`;
        const nested = inImageModel(quantised, { modelType: 'qwen3_5', rename, others: [] });
        const whole = withConfig(nested, {
          model_type: own.config['model_type'],
          quantization: quantised.config['quantization'],
        });
        for (const each of [quantised, whole]) assertClose(await logitsOf(each, device), exact, 1e-3);
      });

    for (const [what, config, ...mentions] of [
      ['other kinds of layers', { layer_types: Array(4).fill('sliding_attention') }, 'sliding_attention'],
      ['kinds of too few layers', { layer_types: ['full_attention'] }, '4 layer_types'],
      ['value heads that key heads cannot share', { linear_num_value_heads: 3 }, 'linear_num_value_heads'],
      ['attention without a gate', { attn_output_gate: false }, 'attn_output_gate true'],
      ['a kernel of one row', { linear_conv_kernel_dim: 1 }, 'linear_conv_kernel_dim'],
      ['a kernel of another length', { linear_conv_kernel_dim: 3 }, 'conv1d.weight', '[128, 1, 4]'],
      ['other heads', { linear_num_value_heads: 8 }, 'linear_attn'],
      ['attention in other layers', { full_attention_interval: 2, layer_types: undefined }, 'self_attn'],
    ] as const)
      it(`is refused with ${what}`, async () => {
        await assertRefused(() => logitsOf(withConfig(own, config)), ...mentions);
      });
  });
}

describe('a Qwen3.5 checkpoint with experts', () => {
  it('computes what Qwen3-Next computes with the same weights', async () => {
    const next = FAMILIES.QWEN3_NEXT;
    const separate = withSeparateProjections(next, HEADS);
    const fused = inExpertLayout(separate, 'fused');
    const expected = await logitsOf(next);
    for (const model_type of ['qwen3_5_moe', 'qwen3_5_moe_text'])
      assertClose(await logitsOf(withConfig(fused, { model_type })), expected, 1e-5);
  });
});
