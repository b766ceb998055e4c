// What is Gemma 4's own in config.json: heads of another form in layers that see everything, in two spellings, and the
// text parts of published models that read images.
import assert from 'node:assert/strict';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { parseGemma4Config } from '../../../server/models/families/gemma4';
import { GEMMA4, GEMMA4_E, GEMMA4_MOE } from '../../support/fixtures';
import { parseFixture, type Entries } from '../../support/gemmaConfig';
import { temporaryFolder } from '../../support/temporaryFolder';

const parse = (entries?: Entries, directory = GEMMA4) => parseFixture(parseGemma4Config, directory, entries);
const parsePublished = (config: Entries) =>
  parseGemma4Config(temporaryFolder(), new ConfigFields('config.json', config));

const layers = (...kinds: readonly string[]) => kinds.map((kind) => `${kind}_attention`);
const near = (headDim: number) => ({ headDim, ropeTheta: 1e4 });
const far = (headDim: number) => ({
  headDim,
  ropeTheta: 1e6,
  scaling: { type: 'proportional', factor: 1, turningPairs: headDim / 8 },
});

const OF_ALL = {
  rmsNormEps: 1e-6,
  attentionBias: false,
  outputBias: false,
  tieWordEmbeddings: true,
  activation: 'gelu',
  headNorms: true,
  valueNorm: true,
  attentionScale: 1,
  sandwichNorms: true,
  layerScalar: true,
  sharing: undefined,
  perLayer: undefined,
  expertsBeside: undefined,
  finalLogitSoftcapping: 30,
};

/** Fixtures spell the heads of each layer; published files those of all layers of a kind. */
const AS_PUBLISHED = { per_layer_config: undefined, global_head_dim: 32, num_global_key_value_heads: 1 };

/** The text part of the 12B model as it was published. */
const DENSE = {
  model_type: 'gemma4_unified_text',
  attention_bias: false,
  attention_k_eq_v: true,
  enable_moe_block: false,
  final_logit_softcapping: 30.0,
  global_head_dim: 512,
  head_dim: 256,
  hidden_activation: 'gelu_pytorch_tanh',
  hidden_size: 3840,
  hidden_size_per_layer_input: 0,
  intermediate_size: 15360,
  layer_types: Array.from({ length: 48 }, (_, i) => ((i + 1) % 6 === 0 ? 'full' : 'sliding') + '_attention'),
  max_position_embeddings: 262144,
  num_attention_heads: 16,
  num_global_key_value_heads: 1,
  num_hidden_layers: 48,
  num_key_value_heads: 8,
  num_kv_shared_layers: 0,
  rms_norm_eps: 1e-6,
  rope_parameters: {
    full_attention: { partial_rotary_factor: 0.25, rope_theta: 1000000.0, rope_type: 'proportional' },
    sliding_attention: { rope_theta: 10000.0, rope_type: 'default' },
  },
  sliding_window: 1024,
  tie_word_embeddings: true,
  use_bidirectional_attention: 'vision',
  use_double_wide_mlp: false,
  vocab_size: 262144,
  vocab_size_per_layer_input: 262144,
};
const IMAGES = {
  model_type: 'gemma4_unified',
  eos_token_id: [1, 106],
  vision_config: {},
  text_config: DENSE,
};

/** What of the E2B model differs from that. */
const SMALL = {
  attention_k_eq_v: false,
  hidden_size: 1536,
  hidden_size_per_layer_input: 256,
  intermediate_size: 6144,
  layer_types: Array.from({ length: 35 }, (_, i) => ((i + 1) % 5 === 0 ? 'full' : 'sliding') + '_attention'),
  num_attention_heads: 8,
  num_global_key_value_heads: null,
  num_hidden_layers: 35,
  num_key_value_heads: 1,
  num_kv_shared_layers: 20,
  use_double_wide_mlp: true,
};

describe('the Gemma 4 configuration', () => {
  it('may spell the heads of layers that see everything as published files do', () => {
    for (const directory of [GEMMA4, GEMMA4_E, GEMMA4_MOE])
      assert.deepEqual(parse(AS_PUBLISHED, directory), parse({}, directory));
    assert.deepEqual(parse({ ...AS_PUBLISHED, per_layer_config: null }), parse());
    const widths = { '2': { head_dim: 32 }, '5': { head_dim: 32 } };
    assert.equal(parse({ per_layer_config: widths }).fullHeads?.numKeyValueHeads, 2);
    assert.equal(parse({ per_layer_config: {} }).fullHeads?.headDim, 16);
  });

  it('is read from the text part of the 12B image model', () => {
    const { layerTypes, otherParts, ...rest } = parsePublished(IMAGES);
    assert.deepEqual(rest, {
      ...OF_ALL,
      modelType: 'gemma4_unified_text',
      hiddenSize: 3840,
      numHiddenLayers: 48,
      vocabSize: 262144,
      intermediateSize: 15360,
      numAttentionHeads: 16,
      numKeyValueHeads: 8,
      headDim: 256,
      maxPositionEmbeddings: 262144,
      eosTokenIds: [1, 106],
      embeddingScale: Math.sqrt(3840),
      rope: far(512),
      sliding: { rope: near(256), window: 1024 },
      fullHeads: { headDim: 512, numKeyValueHeads: 1, keysAsValues: true },
    });
    assert.equal(layerTypes.filter((type) => type === 'full_attention').length, 8);
    for (const part of ['vision_embedder', 'embed_vision', 'embed_audio'])
      assert.ok(otherParts?.test(`model.${part}.x.weight`) && otherParts?.test(`${part}.x.weight`));
  });

  it('is read from the text part of the E2B image model', () => {
    const config = parsePublished({ ...IMAGES, model_type: 'gemma4', text_config: { ...DENSE, ...SMALL } });
    assert.deepEqual(config.sharing, { firstLayer: 15, intermediateSize: 12288 });
    assert.deepEqual(config.perLayer, { hiddenSizePerLayerInput: 256, vocabSizePerLayerInput: 262144 });
    assert.deepEqual(config.fullHeads, { headDim: 512, numKeyValueHeads: 1, keysAsValues: false });
  });

  it('has what transformers takes where the file is silent', () => {
    const required = ['model_type', 'hidden_size', 'intermediate_size', 'num_hidden_layers'];
    const heads = ['num_attention_heads', 'num_key_value_heads'];
    const names = [...required, ...heads, 'vocab_size', 'tie_word_embeddings'];
    const short = Object.fromEntries(Object.entries(DENSE).filter(([name]) => names.includes(name)));
    const unified = parsePublished(short);
    assert.deepEqual([unified.perLayer, unified.sliding?.window], [undefined, 1024]);
    assert.equal(unified.maxPositionEmbeddings, 262144);
    const { layerTypes, sliding, rope, perLayer, ...rest } = parsePublished({
      ...short,
      model_type: 'gemma4_text',
      num_hidden_layers: 8,
    });
    assert.deepEqual(layerTypes.indexOf('full_attention'), 5);
    assert.deepEqual(layerTypes.slice(6), layers('sliding', 'full'));
    assert.deepEqual([sliding, rope], [{ rope: near(256), window: 512 }, far(512)]);
    assert.deepEqual(perLayer, { hiddenSizePerLayerInput: 256, vocabSizePerLayerInput: 262144 });
    assert.deepEqual(rest.fullHeads, { headDim: 512, numKeyValueHeads: 8, keysAsValues: false });
    assert.deepEqual([rest.finalLogitSoftcapping, rest.maxPositionEmbeddings], [undefined, 131072]);
  });
});
