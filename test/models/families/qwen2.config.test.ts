// What is Qwen2's own in config.json: biases that no field announces, and windows that the network does not compute.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseQwen2Config } from '../../../server/models/families/qwen';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { QWEN2, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

describe('the Qwen2 configuration', () => {
  it('is read from the file, with biases on queries, keys and values', () => {
    assert.deepEqual(parseQwen2Config(QWEN2, ConfigFields.read(join(QWEN2, 'config.json'))), {
      modelType: 'qwen2',
      hiddenSize: 64,
      numHiddenLayers: 4,
      vocabSize: 256,
      intermediateSize: 128,
      numAttentionHeads: 4,
      numKeyValueHeads: 2,
      headDim: 16,
      layerTypes: Array(4).fill('full_attention'),
      rmsNormEps: 1e-6,
      attentionBias: true,
      outputBias: false,
      headNorms: false,
      maxPositionEmbeddings: 512,
      tieWordEmbeddings: true,
      rope: { headDim: 16, ropeTheta: 1e6 },
      eosTokenIds: [2],
    });
  });

  for (const [field, value] of [
    ['use_sliding_window', true],
    ['hidden_act', 'gelu'],
    ['layer_types', ['full_attention', 'sliding_attention', 'full_attention', 'full_attention']],
    ['layer_types', 'full_attention'],
    ['rope_parameters', { rope_type: 'mrope', rope_theta: 1e6 }],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value)}`, async () => {
      const checkpoint = withConfig(readCheckpoint(QWEN2), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
