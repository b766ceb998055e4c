// What is Gemma 3's own in config.json: a pattern of windows in three spellings, and a text part whose usual values
// the published files leave out.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseGemma3Config } from '../../../server/models/families/gemma';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { GEMMA3, readCheckpoint } from '../../support/fixtures';
import { PARSED, parseFixture, type Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

const parse = (entries?: Entries) => parseFixture(parseGemma3Config, GEMMA3, entries);

const IMAGE_PART = /^(model\.)?(vision_tower|multi_modal_projector)\./;

/** Which layers have a window. */
const windows = (entries: Entries) =>
  parse({ layer_types: undefined, _sliding_window_pattern: undefined, num_hidden_layers: 8, ...entries })
    .layerTypes.map((type) => (type === 'full_attention' ? '-' : 'w'))
    .join('');

/** The text part of the 4B image model as it was published. */
const PUBLISHED = {
  model_type: 'gemma3',
  eos_token_id: [1, 106],
  vision_config: { hidden_size: 1152 },
  text_config: {
    hidden_size: 2560,
    intermediate_size: 10240,
    model_type: 'gemma3_text',
    num_hidden_layers: 34,
    rope_scaling: { factor: 8.0, rope_type: 'linear' },
    sliding_window: 1024,
  },
};

describe('the Gemma 3 configuration', () => {
  it('is read from the text part of an image model, which leaves out what is usual', () => {
    const config = parseGemma3Config(temporaryFolder(), new ConfigFields('config.json', PUBLISHED));
    const { layerTypes, ...rest } = config;
    const far = { headDim: 256, ropeTheta: 1e6, scaling: { type: 'linear', factor: 8 } };
    assert.deepEqual(rest, {
      ...PARSED,
      modelType: 'gemma3_text',
      hiddenSize: 2560,
      numHiddenLayers: 34,
      vocabSize: 262208,
      intermediateSize: 10240,
      numAttentionHeads: 8,
      numKeyValueHeads: 4,
      headDim: 256,
      maxPositionEmbeddings: 131072,
      tieWordEmbeddings: undefined,
      eosTokenIds: [1, 106],
      embeddingScale: Math.sqrt(2560),
      headNorms: true,
      rope: far,
      attentionScale: 1 / 16,
      sandwichNorms: true,
      sliding: { rope: { headDim: 256, ropeTheta: 1e4 }, window: 1024 },
      otherParts: IMAGE_PART,
    });
    assert.deepEqual([layerTypes[4], layerTypes[5]], ['sliding_attention', 'full_attention']);
    assert.equal(layerTypes.filter((type) => type === 'full_attention').length, 5);
  });

  it('has a layer that sees everything after so many that do not', () => {
    assert.equal(windows({}), 'wwwww-ww');
    assert.equal(windows({ sliding_window_pattern: 3 }), 'ww-ww-ww');
    assert.equal(windows({ _sliding_window_pattern: 4 }), 'www-www-');
    const types = ['full', 'sliding', 'sliding', 'full'].map((kind) => `${kind}_attention`);
    assert.equal(windows({ layer_types: types, num_hidden_layers: 4 }), '-ww-');
  });

  for (const [field, value] of [
    ['hidden_activation', 'relu'],
    ['use_bidirectional_attention', true],
    ['attn_logit_softcapping', 50],
    ['final_logit_softcapping', 30],
    ['sliding_window', 0],
    ['_sliding_window_pattern', -1],
    ['layer_types', 'full_attention'],
    ['text_config', 'gemma3_text'],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value)}`, async () => {
      const layers = field === '_sliding_window_pattern' ? { layer_types: undefined } : {};
      const checkpoint = withConfig(readCheckpoint(GEMMA3), { ...layers, [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
