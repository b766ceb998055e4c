// What is Mistral's own in config.json: heads whose size is no share of the hidden size, no biases, and windows.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseMistralConfig } from '../../../server/models/families/mistral';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { MISTRAL, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

type Entries = Readonly<Record<string, unknown>>;

const parse = (entries: Entries) =>
  parseMistralConfig(
    MISTRAL,
    new ConfigFields('config.json', { ...readCheckpoint(MISTRAL).config, ...entries }),
  );

describe('the Mistral configuration', () => {
  it('is read from the file', () => {
    assert.deepEqual(parse({}), {
      modelType: 'mistral',
      hiddenSize: 64,
      numHiddenLayers: 4,
      vocabSize: 256,
      intermediateSize: 128,
      numAttentionHeads: 4,
      numKeyValueHeads: 2,
      headDim: 16,
      layerTypes: Array(4).fill('full_attention'),
      rmsNormEps: 1e-6,
      attentionBias: false,
      outputBias: false,
      headNorms: false,
      maxPositionEmbeddings: 512,
      tieWordEmbeddings: false,
      rope: { headDim: 16, ropeTheta: 1e6 },
      eosTokenIds: [2],
    });
  });

  it('may have heads of any size', () => {
    assert.equal(parse({ head_dim: 128 }).headDim, 128);
    assert.equal(parse({ head_dim: undefined }).headDim, 16);
  });

  const rope = { headDim: 16, ropeTheta: 1e6 };

  it('has a window in all layers where the file names one', () => {
    assert.equal(parse({ sliding_window: null }).sliding, undefined);
    for (const none of [0, false]) assert.equal(parse({ sliding_window: none }).sliding, undefined);
    const { layerTypes, sliding } = parse({ sliding_window: 8 });
    assert.deepEqual(sliding, { rope, window: 8 });
    assert.deepEqual(layerTypes, Array(4).fill('sliding_attention'));
  });

  it('has it in the layers that the file names', () => {
    const layer_types = ['full_attention', 'sliding_attention', 'sliding_attention', 'full_attention'];
    const { layerTypes, sliding } = parse({ sliding_window: 8, layer_types });
    assert.deepEqual(layerTypes, layer_types);
    assert.deepEqual(sliding, { rope, window: 8 });
  });

  for (const [field, value] of [
    ['sliding_window', -1],
    ['sliding_window', '4096'],
    ['hidden_act', 'relu'],
    ['layer_types', ['full_attention', 'sliding_attention', 'full_attention', 'full_attention']],
    ['rope_parameters', { rope_type: 'longrope', rope_theta: 1e6 }],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value)}`, async () => {
      const checkpoint = withConfig(readCheckpoint(MISTRAL), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
