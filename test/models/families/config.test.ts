// What config.json says in families that differ from Llama by a few fields: what each means where it is there, where it is
// silent, and which values are refused by their name.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseGemma2Config, parseGemmaConfig } from '../../../server/models/families/gemma';
import { parseLlamaConfig } from '../../../server/models/families/llama';
import { parseMistralConfig } from '../../../server/models/families/mistral';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { GEMMA, GEMMA2, LLAMA, MISTRAL, QWEN2, readCheckpoint } from '../../support/fixtures';
import { parseFixture, type Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

const WINDOWS_OF_FOUR = ['full_attention', 'sliding_attention', 'sliding_attention', 'full_attention'];

describe('the config.json', () => {
  it('of Gemma may name the activation as the first files do', () => {
    const parse = (entries?: Entries) => parseFixture(parseGemmaConfig, GEMMA, entries);
    for (const entries of [
      { hidden_act: 'gelu', hidden_activation: null },
      { hidden_act: 'gelu', hidden_activation: 'gelu_pytorch_tanh' },
      { hidden_act: undefined },
    ])
      assert.deepEqual(parse(entries), parse());
  });

  it('of Gemma 2 means the published layers, window and limits by silence, and no limit by null', () => {
    const parse = (entries?: Entries) => parseFixture(parseGemma2Config, GEMMA2, entries);
    const caps = (value: unknown) => ({ attn_logit_softcapping: value, final_logit_softcapping: value });
    assert.deepEqual(parse({ layer_types: undefined, ...caps(undefined) }), parse());
    assert.equal(parse({ sliding_window: undefined }).sliding?.window, 4096);
    const { attnLogitSoftcapping, finalLogitSoftcapping } = parse(caps(null));
    assert.deepEqual([attnLogitSoftcapping, finalLogitSoftcapping], [undefined, undefined]);
    assert.equal(parse({ query_pre_attn_scalar: 144 }).attentionScale, 1 / 12);
  });

  it('of Llama announces biases, and leaves a silent head to the weights', () => {
    const silent = { attention_bias: undefined, mlp_bias: undefined, tie_word_embeddings: undefined };
    const config = parseFixture(parseLlamaConfig, LLAMA, silent);
    assert.deepEqual([config.attentionBias, config.outputBias, config.mlpBias], [false, false, false]);
    assert.equal(config.tieWordEmbeddings, undefined);
  });

  it('of Mistral has a window in the layers that the file names, or in all', () => {
    const parse = (entries: Entries) => parseFixture(parseMistralConfig, MISTRAL, entries);
    for (const none of [null, 0, false]) assert.equal(parse({ sliding_window: none }).sliding, undefined);
    const { layerTypes, sliding } = parse({ sliding_window: 8 });
    assert.deepEqual(sliding, { rope: { headDim: 16, ropeTheta: 1e6 }, window: 8 });
    assert.deepEqual(layerTypes, Array(4).fill('sliding_attention'));
    const some = parse({ sliding_window: 8, layer_types: WINDOWS_OF_FOUR });
    assert.deepEqual(some.layerTypes, WINDOWS_OF_FOUR);
  });

  for (const [directory, field, value] of [
    [GEMMA, 'hidden_act', 'silu'],
    [GEMMA, 'hidden_activation', 'gelu_new'],
    [GEMMA, 'use_bidirectional_attention', true],
    [GEMMA, 'head_dim', 33],
    [GEMMA2, 'query_pre_attn_scalar', 0],
    [GEMMA2, 'sliding_window', -1],
    [GEMMA2, 'attn_logit_softcapping', -1],
    [GEMMA2, 'final_logit_softcapping', '30'],
    [GEMMA2, 'layer_types', Array(4).fill('chunked_attention')],
    [QWEN2, 'use_sliding_window', true],
    [QWEN2, 'layer_types', WINDOWS_OF_FOUR],
    [QWEN2, 'rope_parameters', { rope_type: 'mrope', rope_theta: 1e6 }],
    [LLAMA, 'mlp_bias', 'yes'],
    [LLAMA, 'hidden_act', 'gelu'],
    [LLAMA, 'rope_parameters', { rope_type: 'dynamic', factor: 2 }],
    [MISTRAL, 'sliding_window', '4096'],
    [MISTRAL, 'layer_types', WINDOWS_OF_FOUR],
  ] as const)
    it(`is refused with ${field} ${JSON.stringify(value)}: ${directory}`, async () => {
      const checkpoint = withConfig(readCheckpoint(directory), { [field]: value });
      const folder = writeCheckpoint({ ...checkpoint, tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), field);
    });
});
