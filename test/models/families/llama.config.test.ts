// What is Llama's own in config.json: which projections have biases, and a scaled rotation.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseLlamaConfig } from '../../../server/models/families/llama';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { LLAMA, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

type Entries = Readonly<Record<string, unknown>>;

const parse = (entries: Entries) =>
  parseLlamaConfig(LLAMA, new ConfigFields('config.json', { ...readCheckpoint(LLAMA).config, ...entries }));

describe('the Llama configuration', () => {
  it('is read from the file', () => {
    assert.deepEqual(parse({}), {
      modelType: 'llama',
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
      mlpBias: false,
      maxPositionEmbeddings: 512,
      tieWordEmbeddings: false,
      rope: {
        headDim: 16,
        ropeTheta: 5e5,
        scaling: {
          type: 'llama3',
          factor: 8,
          lowFreqFactor: 1,
          highFreqFactor: 4,
          originalMaxPositionEmbeddings: 64,
        },
      },
      eosTokenIds: [2],
    });
  });

  it('has no biases where the file is silent', () => {
    const { attentionBias, outputBias, mlpBias } = parse({ attention_bias: undefined, mlp_bias: undefined });
    assert.deepEqual([attentionBias, outputBias, mlpBias], [false, false, false]);
  });

  it('means all four projections by a bias of attention', () => {
    const { attentionBias, outputBias, mlpBias } = parse({ attention_bias: true });
    assert.deepEqual([attentionBias, outputBias, mlpBias], [true, true, false]);
  });

  it('leaves it to the weights whether the head is tied, where the file is silent', () => {
    assert.equal(parse({ tie_word_embeddings: undefined }).tieWordEmbeddings, undefined);
  });

  for (const [field, value] of [
    ['mlp_bias', 'yes'],
    ['attention_bias', 1],
    ['hidden_act', 'gelu'],
    ['layer_types', ['full_attention', 'chunked_attention', 'full_attention', 'full_attention']],
    ['rope_parameters', { rope_type: 'dynamic', factor: 2 }],
    ['tie_word_embeddings', 'no'],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value)}`, async () => {
      const checkpoint = withConfig(readCheckpoint(LLAMA), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
  }
});
