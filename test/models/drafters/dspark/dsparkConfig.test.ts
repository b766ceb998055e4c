// Tests the config.json of DSpark drafters in all its forms, and the error for everything that does not fit the target
// or a drafter of this kind, before any weight is read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../../server/models/checkpoint/configFields';
import { parseQwen3DSparkConfig } from '../../../../server/models/drafters/dspark/dsparkConfig';
import { parseGemma4DSparkConfig } from '../../../../server/models/families/gemma4DSpark';
import { loadDrafter } from '../../../support/loadModels';
import type { TargetConfig } from '../../../../server/models/decoder/target';
import { testDevice } from '../../../support/testDevice';
import { DSPARK, readCheckpoint } from '../../../support/fixtures';
import { assertRefused } from '../../../support/refusal';
import { withConfig, writeCheckpoint } from '../../../support/tinyCheckpoint';

type Entries = Readonly<Record<string, unknown>>;
type Row = readonly [entries: Entries, ...mentions: string[]];

const TARGET: TargetConfig = {
  modelType: 'qwen3',
  hiddenSize: 64,
  numHiddenLayers: 4,
  vocabSize: 256,
  maxPositionEmbeddings: 512,
  eosTokenIds: [],
};
const GEMMA_TARGET = { ...TARGET, modelType: 'gemma4_text', numHiddenLayers: 6 };

const qwen3 = readCheckpoint(join(DSPARK, 'vanilla'));
const gemma4 = readCheckpoint(join(DSPARK, 'gemma4'));
const parse = (entries: Entries, target = TARGET) =>
  parseQwen3DSparkConfig(new ConfigFields('config.json', withConfig(qwen3, entries).config), target);

/** Fields that some exporters write into a nested object. */
const BLOCK = ['block_size', 'mask_token_id', 'target_layer_ids'];
const HEADS = ['markov_rank', 'markov_head_type', 'enable_confidence_head', 'confidence_head_with_markov'];
const nestedIn = (name: string, fields: readonly string[], more: Entries = {}): Entries => ({
  ...Object.fromEntries(fields.map((field) => [field, undefined])),
  [name]: { ...Object.fromEntries(fields.map((field) => [field, qwen3.config[field]])), ...more },
});

/** Values that are refused, by the name of their field. */
const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  block_size: [undefined, 0, 257, 7.5, '7'],
  mask_token_id: [undefined, -1, '250'],
  target_layer_ids: [undefined, [-1], '0'],
  markov_rank: [-1, 1.5, '16', 257],
  markov_head_type: [3],
  confidence_head_with_markov: ['yes'],
  vocab_size: [undefined],
  num_hidden_layers: [undefined],
  intermediate_size: [undefined],
  tie_word_embeddings: ['no'],
  sample_from_anchor: ['no'],
  dspark_config: [3],
};

const WRONG: readonly Row[] = [
  // The first two are also refused for DFlash drafters.
  [{ hidden_size: 128 }, 'hidden_size 64, as the target has', 'got 128'],
  [{ target_layer_ids: [0, 3] }, 'target_layer_ids from 0 to 2', 'got 3'],
  ...Object.entries(WRONG_VALUES).flatMap(([name, values]) =>
    values.map((value): Row => [{ [name]: value }, name]),
  ),
  [{ markov_head_type: 'lstm' }, 'markov_head_type vanilla, gated, rnn', 'got lstm'],
  [{ layer_types: ['full_attention', 'linear_attention'] }, 'layer_types of sliding_attention', 'linear'],
  [{ layer_types: ['full_attention', 'sliding_attention'] }, 'sliding_window'],
  [{ use_swa: true }, 'sliding_window'],
  [
    { use_swa: true, swa_window_size: 8, sliding_window: 16 },
    'a swa_window_size of 16, as sliding_window says',
    'got 8',
  ],
  [nestedIn('dflash_config', HEADS, { attention_sink_bias: true }), 'attention_sink_bias null', 'got true'],
  [{ rope_is_neox_style: false }, 'rope_is_neox_style true', 'got false'],
  [{ n_routed_experts: 512 }, 'n_routed_experts null', 'got 512'],
  [nestedIn('dflash_config', HEADS, { attention_mode: 'mla' }), 'attention_mode "gqa" or "mha"', 'mla'],
  [
    nestedIn('dflash_config', HEADS, { attention_modes: ['kda', 'gqa'] }),
    'attention_modes "gqa" or "mha"',
    'kda',
  ],
  [{ draft_ffn_type: 'moe' }, 'draft_ffn_type "dense" or "mlp"', 'moe'],
  [{ logit_scale: 0.5 }, 'logit_scale 1', 'got 0.5'],
  [
    nestedIn('dflash_config', HEADS, { conditioning_source: 'target_kv' }),
    'conditioning_source null',
    'target_kv',
  ],
  [{ hidden_act: 'gelu' }, 'hidden_act "silu"', 'gelu'],
  [{ shift_label: false }, 'shift_label true', 'got false'],
  [nestedIn('dflash_config', HEADS, { shift_label: false }), 'shift_label true', 'got false'],
  [nestedIn('dflash_config', HEADS, { projector_type: 'dflash' }), 'projector_type dspark', 'dflash'],
];

const GEMMA_WRONG: readonly Row[] = [
  [{ num_kv_shared_layers: 1 }, 'num_kv_shared_layers'],
  [{ hidden_size_per_layer_input: 32 }, 'hidden_size_per_layer_input', 'got 32'],
  [
    { enable_moe_block: true, num_experts: 4, top_k_experts: 2, moe_intermediate_size: 32 },
    'enable_moe_block',
    'got true',
  ],
  [{ hidden_activation: 'silu' }, 'hidden_activation'],
  [{ layer_types: ['sliding_attention', 'full_attention'], per_layer_config: undefined }, 'layer_types'],
];

describe('the DSpark configuration', () => {
  it('reads a DSpark config from the top level, then from a nested object', () => {
    const flat = parse({});
    for (const fields of [BLOCK, HEADS, [...BLOCK, ...HEADS]])
      for (const name of ['dspark_config', 'dflash_config']) {
        assert.deepEqual(parse(nestedIn(name, fields)), flat);
        const shifted = nestedIn(name, fields, { shift_label: true, projector_type: 'dspark' });
        assert.deepEqual(parse(shifted), flat);
      }
    assert.equal(parse({ dspark_config: { block_size: 3 } }).blockSize, 7);
    const both = { dspark_config: { block_size: 3 }, dflash_config: { block_size: 5 } };
    assert.equal(parse({ block_size: undefined, ...both }).blockSize, 3);
  });

  it('reads the attention pattern of its layers and the anchor from the form of ModelOpt', () => {
    const sliding = { layer_types: ['sliding_attention', 'sliding_attention'], sliding_window: 16 };
    const pattern = { window: 16, causal: true };
    const causal = nestedIn('dflash_config', BLOCK, {
      attention_sink_bias: false,
      causal: true,
      use_swa: true,
      swa_window_size: 16,
      sample_from_anchor: false,
    });
    const parsed = parse({ ...sliding, ...causal });
    assert.deepEqual(parsed.layerPatterns, [pattern, pattern]);
    assert.equal(parsed.firstRow, 1);
    const bidirectional = { window: 16, causal: false };
    assert.deepEqual(parse({ ...sliding, is_causal: false }).layerPatterns[0], bidirectional);
    assert.deepEqual(parse(sliding).layerPatterns, [bidirectional, bidirectional]);
    assert.deepEqual(parse({ ...sliding, transformer_layer_config: {} }).layerPatterns[0], pattern);
    assert.deepEqual(parse(nestedIn('dflash_config', BLOCK, { causal: true })).layerPatterns[0], {
      causal: true,
    });
  });

  it('makes all layers slide by use_swa if layer_types names no sliding ones', () => {
    const window = { use_swa: true, swa_window_size: 16 };
    const pattern = { window: 16, causal: false };
    for (const layer_types of [undefined, ['full_attention', 'full_attention']]) {
      const slides = (more: Entries) => parse({ layer_types, ...more }).layerPatterns;
      assert.deepEqual(slides(nestedIn('dflash_config', BLOCK, window)), [pattern, pattern]);
      assert.deepEqual(slides({ ...window, sliding_window: 16 }), [pattern, pattern]);
      assert.deepEqual(slides({ use_swa: true, sliding_window: 16 }), [pattern, pattern]);
      assert.deepEqual(slides({ ...window, use_swa: false, sliding_window: 4 }), parse({}).layerPatterns);
    }
    const sliding = { layer_types: ['sliding_attention', 'full_attention'] };
    assert.deepEqual(parse({ ...sliding, ...window }).layerPatterns, [pattern, { causal: false }]);
  });

  it('ignores the type of a Markov head of rank 0', () => {
    const none = { type: undefined, rank: undefined };
    assert.deepEqual(parse({ markov_head_type: 'lstm', markov_rank: 0 }).markov, none);
  });

  it('limits a block and its anchor to the rows that the target can forget', async () => {
    const recurrent = { ...TARGET, maxBlockSize: 8 };
    assert.equal(parse({}, recurrent).blockSize, 7);
    await assertRefused(() => parse({ block_size: 8 }, recurrent), 'integer from 1 to 7', 'block_size');
  });

  it('reads the heads of full layers of a Gemma 4 drafter with and without per_layer_config', () => {
    const parseGemma = (entries: Entries) => {
      const { config } = withConfig(gemma4, entries);
      return parseGemma4DSparkConfig(new ConfigFields('config.json', config), GEMMA_TARGET);
    };
    const config = parseGemma({});
    assert.deepEqual([config.headDim, config.numKeyValueHeads, config.keysAsValues], [32, 1, true]);
    assert.equal(config.finalLogitSoftcapping, 30);
    assert.equal(config.embeddingScale, 8);
    assert.deepEqual(parseGemma({ per_layer_config: undefined }), config);
  });

  for (const [checkpoint, target, rows] of [
    [qwen3, TARGET, WRONG],
    [gemma4, GEMMA_TARGET, GEMMA_WRONG],
  ] as const)
    for (const [entries, ...mentions] of rows)
      it(`rejects config fields of a drafter for ${target.modelType}: ${JSON.stringify(entries, (_, value: unknown) => value ?? null)}`, async () => {
        const folder = writeCheckpoint({ ...withConfig(checkpoint, entries), tensors: {} });
        await assertRefused(
          () => loadDrafter(folder, target, testDevice),
          join(folder, 'config.json'),
          ...mentions,
        );
      });
});
