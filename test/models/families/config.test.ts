// Tests the config.json of each family: defaults of absent fields, and spellings that mean the same. Rejected values
// are in refusals.test.ts, published files in publishedConfigs.test.ts.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  parseGemma2Config,
  parseGemma3Config,
  parseGemmaConfig,
} from '../../../server/models/families/gemma';
import { parseGemma4Config } from '../../../server/models/families/gemma4';
import { parseLlamaConfig } from '../../../server/models/families/llama';
import { parseMellumConfig } from '../../../server/models/families/mellum';
import { parseMistral3Config, parseMistralConfig } from '../../../server/models/families/mistral';
import {
  parseQwen2Config,
  parseQwen3Config,
  parseQwen3MoeConfig,
} from '../../../server/models/families/qwen';
import { parseHybridConfig } from '../../../server/models/families/qwenHybrid';
import { readEosTokenIds, type DecoderConfig } from '../../../server/models/decoder/decoderConfig';
import { loadTarget } from '../../support/loadModels';
import { testDevice } from '../../support/testDevice';
import {
  GEMMA,
  GEMMA2,
  GEMMA3,
  GEMMA4,
  LLAMA,
  MELLUM,
  MINISTRAL3,
  MISTRAL,
  QWEN2,
  QWEN3,
  QWEN3_5,
  QWEN3_MOE,
  readCheckpoint,
} from '../../support/fixtures';
import { parseFixture, type Entries, type Parse } from '../../support/parseFixture';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { writeCheckpoint, writeJson } from '../../support/tinyCheckpoint';

const layers = (...kinds: readonly string[]) => kinds.map((kind) => `${kind}_attention`);
/** Values by which files state that a field is unused. */
const UNUSED = [undefined, null, false, 0];

/** Fields of all families whose rows do not override them; the fixtures have 4 heads. */
const COMMON = { rms_norm_eps: 1e-6, num_key_value_heads: 4 };

const GEMMA4_DEFAULTS = {
  vocab_size: 262144,
  vocab_size_per_layer_input: 262144,
  head_dim: 256,
  global_head_dim: 512,
  layer_types: layers('sliding', 'sliding', 'sliding', 'sliding', 'sliding', 'full'),
  rope_parameters: {
    full_attention: { rope_type: 'proportional', rope_theta: 1e6, partial_rotary_factor: 0.25 },
    sliding_attention: { rope_theta: 1e4 },
  },
};

interface OmittedFields {
  readonly parse: Parse<unknown>;
  readonly directory: string;
  /** Fields that replace those of the fixture. */
  readonly overrides?: Entries;
  /** Defaults of transformers for fields that are absent or null. */
  readonly defaults: Entries;
  /** Defaults of absent fields, which null turns off. */
  readonly defaultsIfAbsent?: Entries;
}

const OMITTED_FIELDS: readonly OmittedFields[] = [
  {
    parse: parseLlamaConfig,
    directory: LLAMA,
    defaults: { max_position_embeddings: 2048, head_dim: 16, attention_bias: false, mlp_bias: false },
  },
  { parse: parseQwen2Config, directory: QWEN2, defaults: { max_position_embeddings: 32768, head_dim: 16 } },
  { parse: parseQwen3Config, directory: QWEN3, defaults: { max_position_embeddings: 32768, head_dim: 128 } },
  {
    parse: parseQwen3MoeConfig,
    directory: QWEN3_MOE,
    defaults: {
      max_position_embeddings: 32768,
      head_dim: 16,
      norm_topk_prob: false,
      decoder_sparse_step: 1,
      mlp_only_layers: [],
    },
  },
  {
    parse: parseHybridConfig,
    directory: QWEN3_5,
    defaults: {
      max_position_embeddings: 32768,
      head_dim: 256,
      partial_rotary_factor: 0.25,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      rope_parameters: { rope_theta: 1e4 },
      layer_types: layers('linear', 'linear', 'linear', 'full'),
    },
  },
  {
    parse: parseMistralConfig,
    directory: MISTRAL,
    defaults: { max_position_embeddings: 131072, head_dim: 16 },
    defaultsIfAbsent: { sliding_window: 4096 },
  },
  {
    parse: parseMistral3Config,
    directory: MINISTRAL3,
    overrides: { ...(readCheckpoint(MINISTRAL3).config['text_config'] as Entries), text_config: undefined },
    defaults: {
      max_position_embeddings: 262144,
      head_dim: 128,
      rms_norm_eps: 1e-5,
      rope_parameters: {
        rope_type: 'yarn',
        rope_theta: 1e6,
        factor: 16,
        original_max_position_embeddings: 16384,
        beta_fast: 32,
        beta_slow: 1,
        attention_factor: 1,
        llama_4_scaling_beta: 0.1,
      },
    },
    defaultsIfAbsent: { sliding_window: null },
  },
  { parse: parseGemmaConfig, directory: GEMMA, defaults: { max_position_embeddings: 8192, head_dim: 256 } },
  {
    parse: parseGemma2Config,
    directory: GEMMA2,
    defaults: {
      max_position_embeddings: 8192,
      head_dim: 256,
      query_pre_attn_scalar: 256,
      sliding_window: 4096,
      layer_types: layers('sliding', 'full', 'sliding', 'full'),
    },
    defaultsIfAbsent: { attn_logit_softcapping: 50, final_logit_softcapping: 30 },
  },
  {
    parse: parseGemma3Config,
    directory: GEMMA3,
    defaults: {
      max_position_embeddings: 131072,
      head_dim: 256,
      query_pre_attn_scalar: 256,
      sliding_window: 4096,
      vocab_size: 262208,
      num_attention_heads: 8,
      rope_parameters: {
        full_attention: { rope_theta: 1e6 },
        sliding_attention: { rope_theta: 1e4 },
      },
    },
  },
  {
    parse: parseGemma4Config,
    directory: GEMMA4,
    overrides: { per_layer_config: undefined },
    defaults: { ...GEMMA4_DEFAULTS, max_position_embeddings: 131072, sliding_window: 512 },
    defaultsIfAbsent: { hidden_size_per_layer_input: 256 },
  },
  {
    parse: parseGemma4Config,
    directory: GEMMA4,
    overrides: { per_layer_config: null, model_type: 'gemma4_unified_text' },
    defaults: { ...GEMMA4_DEFAULTS, max_position_embeddings: 262144, sliding_window: 1024 },
    defaultsIfAbsent: { hidden_size_per_layer_input: 0 },
  },
  {
    parse: parseMellumConfig,
    directory: MELLUM,
    defaults: {
      max_position_embeddings: 131072,
      head_dim: 128,
      norm_topk_prob: true,
      mlp_layer_types: Array(4).fill('sparse'),
      rope_parameters: {
        full_attention: { rope_theta: 5e5 },
        sliding_attention: { rope_theta: 1e4 },
      },
    },
  },
  { parse: parseMellumConfig, directory: MELLUM, defaults: { layer_types: Array(4).fill('full_attention') } },
];

describe('a config.json', () => {
  for (const { parse, directory, overrides = {}, defaults, defaultsIfAbsent = {} } of OMITTED_FIELDS)
    it(`reads defaults for absent fields: ${directory}, ${Object.keys(defaults).join(', ')}`, () => {
      const values = { ...COMMON, ...defaults };
      const setAll = (fields: Entries, value: unknown) =>
        Object.fromEntries(Object.keys(fields).map((field) => [field, value]));
      const expected = parseFixture(parse, directory, { ...overrides, ...values, ...defaultsIfAbsent });
      for (const absent of [undefined, null]) {
        const omitting = { ...overrides, ...setAll(values, absent), ...setAll(defaultsIfAbsent, undefined) };
        assert.deepEqual(parseFixture(parse, directory, omitting), expected);
      }
    });

  for (const [parse, directory, fields] of [
    [parseQwen2Config, QWEN2, ['sliding_window', 'use_sliding_window', 'rope_scaling']],
    [
      parseQwen3MoeConfig,
      QWEN3_MOE,
      ['shared_expert_intermediate_size', 'rope_scaling', 'sliding_window', 'layer_types'],
    ],
    [parseHybridConfig, QWEN3_5, ['num_experts', 'num_local_experts']],
    [
      parseGemma3Config,
      GEMMA3,
      ['attn_logit_softcapping', 'final_logit_softcapping', 'use_bidirectional_attention'],
    ],
    [
      parseGemma4Config,
      GEMMA4,
      ['attn_logit_softcapping', 'num_kv_shared_layers', 'use_bidirectional_attention'],
    ],
  ] as readonly (readonly [Parse<unknown>, string, string[]])[])
    it(`accepts any way to say that there is no ${fields.join(', ')}: ${directory}`, () => {
      const expected = parseFixture(parse, directory);
      for (const field of fields)
        for (const unused of UNUSED)
          assert.deepEqual(parseFixture(parse, directory, { [field]: unused }), expected, field);
    });

  it('accepts the largest sizes', () => {
    const largest = { num_hidden_layers: 1024, vocab_size: 2 ** 24, head_dim: 1024, layer_types: null };
    const { numHiddenLayers, vocabSize, headDim } = parseFixture(parseQwen3Config, QWEN3, largest);
    assert.deepEqual([numHiddenLayers, vocabSize, headDim], [1024, 2 ** 24, 1024]);
    const delta = { linear_conv_kernel_dim: 64, linear_key_head_dim: 1024, linear_value_head_dim: 1024 };
    parseFixture(parseHybridConfig, QWEN3_5, delta);
    parseFixture(parseHybridConfig, QWEN3_5, { linear_conv_kernel_dim: 2 });
  });

  it('accepts each name of an activation and a gate', () => {
    for (const [parse, directory, entries] of [
      [parseLlamaConfig, LLAMA, { hidden_act: 'swish' }],
      [parseHybridConfig, QWEN3_5, { hidden_act: 'swish', output_gate_type: 'swish' }],
      [parseHybridConfig, QWEN3_5, { output_gate_type: 'silu' }],
      [parseGemmaConfig, GEMMA, { hidden_act: 'gelu', hidden_activation: null }],
      [parseGemmaConfig, GEMMA, { hidden_act: 'gelu', hidden_activation: 'gelu_pytorch_tanh' }],
      [parseGemmaConfig, GEMMA, { hidden_act: undefined }],
    ] as readonly (readonly [Parse<unknown>, string, Entries])[])
      assert.deepEqual(parseFixture(parse, directory, entries), parseFixture(parse, directory));
  });

  it('leaves the output head to the weights if tie_word_embeddings is absent', () => {
    const tie = { tie_word_embeddings: undefined };
    assert.equal(parseFixture(parseLlamaConfig, LLAMA, tie).tieWordEmbeddings, undefined);
    // The two objects of published files disagree.
    const { text_config } = readCheckpoint(MINISTRAL3).config;
    const inner = { text_config: { ...(text_config as Entries), ...tie } };
    const outer = { tie_word_embeddings: true };
    const parse = (entries: Entries) => parseFixture(parseMistral3Config, MINISTRAL3, entries);
    assert.equal(parse({ ...outer, ...inner }).tieWordEmbeddings, undefined);
    assert.equal(parse({ text_config: { ...(text_config as Entries), ...outer } }).tieWordEmbeddings, true);
  });

  it('reads end tokens of image models from the outer object if it has them, and tying in some families', () => {
    const parseHybrid: Parse<DecoderConfig> = (fields) => parseHybridConfig(fields).config;
    for (const [parse, directory, readsTying] of [
      [parseGemma3Config, GEMMA3, false],
      [parseGemma4Config, GEMMA4, true],
      [parseHybrid, QWEN3_5, true],
    ] as const) {
      const inner = { ...readCheckpoint(directory).config, eos_token_id: [5, 6], tie_word_embeddings: true };
      const read = (outer: Entries) => {
        const { eosTokenIds, tieWordEmbeddings } = parseFixture(parse, directory, {
          eos_token_id: undefined,
          tie_word_embeddings: undefined,
          text_config: inner,
          ...outer,
        });
        return [eosTokenIds, tieWordEmbeddings];
      };
      assert.deepEqual(read({}), [[5, 6], true]);
      assert.deepEqual(read({ eos_token_id: null }), [[5, 6], true]);
      assert.deepEqual(read({ eos_token_id: 7, tie_word_embeddings: false }), [[7], !readsTying]);
    }
  });

  it('reads no caps of Gemma 2 if they are null, false or 0, and its attention scale', () => {
    for (const unused of [null, false, 0]) {
      const entries = { attn_logit_softcapping: unused, final_logit_softcapping: unused };
      const config = parseFixture(parseGemma2Config, GEMMA2, entries);
      assert.deepEqual([config.attnLogitSoftcapping, config.finalLogitSoftcapping], [undefined, undefined]);
    }
    const entries = { query_pre_attn_scalar: 144 };
    assert.equal(parseFixture(parseGemma2Config, GEMMA2, entries).attentionScale, 1 / 12);
  });

  it('reads the interval of full layers of Gemma 3', () => {
    const windows = (entries: Entries) =>
      parseFixture(parseGemma3Config, GEMMA3, {
        layer_types: undefined,
        _sliding_window_pattern: undefined,
        num_hidden_layers: 8,
        ...entries,
      })
        .layerTypes.map((type) => (type === 'full_attention' ? '-' : 'w'))
        .join('');
    assert.equal(windows({}), 'wwwww-ww');
    assert.equal(windows({ sliding_window_pattern: 3 }), 'ww-ww-ww');
    assert.equal(windows({ _sliding_window_pattern: 4 }), 'www-www-');
  });

  it('reads the heads of full layers of Gemma 4 as published files spell them', () => {
    const published = { per_layer_config: undefined, global_head_dim: 32, num_global_key_value_heads: 1 };
    const parse = (entries: Entries = {}) => parseFixture(parseGemma4Config, GEMMA4, entries);
    assert.deepEqual(parse(published), parse());
    const widths = { '2': { head_dim: 32 }, '5': { head_dim: 32 } };
    assert.equal(parse({ per_layer_config: widths }).fullHeads?.numKeyValueHeads, 2);
    assert.equal(parse({ per_layer_config: {} }).fullHeads?.headDim, 16);
  });

  it('reads a window of Mistral in the layers that the config names, or in all', () => {
    const parse = (entries: Entries) => parseFixture(parseMistralConfig, MISTRAL, entries);
    for (const unused of [null, 0, false]) assert.equal(parse({ sliding_window: unused }).sliding, undefined);
    const { layerTypes, sliding } = parse({ sliding_window: 8 });
    assert.deepEqual(sliding, { rope: { headDim: 16, ropeTheta: 1e6 }, window: 8 });
    assert.deepEqual(layerTypes, Array(4).fill('sliding_attention'));
    const some = layers('full', 'sliding', 'sliding', 'full');
    assert.deepEqual(parse({ sliding_window: 8, layer_types: some }).layerTypes, some);
  });

  it('reads no biases of Mistral, whatever attention_bias says', () => {
    for (const sliding_window of [null, 8]) {
      const entries = { attention_bias: true, sliding_window };
      const { attentionBias, outputBias } = parseFixture(parseMistralConfig, MISTRAL, entries);
      assert.deepEqual([attentionBias, outputBias], [false, false], `window ${String(sliding_window)}`);
    }
  });

  it('reads dense layers of Mellum, and windows whatever other fields say', () => {
    const parse = (entries: Entries = {}) => parseFixture(parseMellumConfig, MELLUM, entries);
    const mlp_layer_types = ['sparse', 'dense', 'sparse', 'sparse'];
    assert.deepEqual(parse({ mlp_layer_types }).sparse?.mlpOnlyLayers, [1]);
    assert.deepEqual(parse({ use_sliding_window: false, max_window_layers: 9 }), parse());
    assert.deepEqual(parse({ num_experts: undefined, num_local_experts: 8 }), parse());
  });

  it('knows all fields of a model that reads images', async () => {
    const notes: string[] = [];
    (await loadTarget(MINISTRAL3, testDevice, { onNote: (note) => notes.push(note) })).dispose();
    assert.deepEqual(notes, []);
  });

  it('reads a config that begins with a byte order mark', async () => {
    const folder = writeCheckpoint(readCheckpoint(QWEN3));
    writeFileSync(join(folder, 'config.json'), `\uFEFF${JSON.stringify(readCheckpoint(QWEN3).config)}`);
    (await loadTarget(folder, testDevice)).dispose();
  });

  it('reads the end tokens of config.json and generation_config.json', async () => {
    const folder = temporaryFolder();
    const endsOf = (eos_token_id: unknown, directory = folder) =>
      readEosTokenIds(directory, parseFixture(parseQwen3Config, QWEN3, { eos_token_id }).eosTokenIds);
    writeJson(folder, 'generation_config.json', { eos_token_id: [5, 2] });
    assert.deepEqual(endsOf(2), [2, 5]);
    assert.deepEqual(endsOf(null), [5, 2]);
    assert.deepEqual(endsOf([7, 8], temporaryFolder()), [7, 8]);
    assert.deepEqual(endsOf(undefined, temporaryFolder()), []);
    for (const wrong of [{ eos_token_id: 'end' }, []]) {
      writeJson(folder, 'generation_config.json', wrong);
      await assertRefused(() => endsOf(2), 'generation_config.json');
    }
  });
});
