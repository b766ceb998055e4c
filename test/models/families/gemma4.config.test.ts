// What is Gemma 4's own in config.json: heads of another form in layers that see everything, in two spellings, and what
// silence means. Published files are in test/models/publishedConfigs.test.ts and gemma4.checkpoints.test.ts.
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

/** Fixtures spell the heads of each layer; published files those of all layers of a kind. */
const AS_PUBLISHED = { per_layer_config: undefined, global_head_dim: 32, num_global_key_value_heads: 1 };

/** What the text part of the 12B model says of its sizes, as it was published. */
const SIZES = {
  model_type: 'gemma4_unified_text',
  hidden_size: 3840,
  intermediate_size: 15360,
  num_attention_heads: 16,
  num_hidden_layers: 48,
  num_key_value_heads: 8,
  tie_word_embeddings: true,
  vocab_size: 262144,
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

  it('has what transformers takes where the file is silent', () => {
    const unified = parsePublished(SIZES);
    assert.deepEqual([unified.perLayer, unified.sliding?.window], [undefined, 1024]);
    assert.equal(unified.maxPositionEmbeddings, 262144);
    const { layerTypes, sliding, rope, perLayer, ...rest } = parsePublished({
      ...SIZES,
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
