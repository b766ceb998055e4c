// What DSpark reads from config.json, in which forms, and the error for everything that does not fit the target or a
// drafter of this kind, before any weight is read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import {
  parseGemma4DSparkConfig,
  parseQwen3DSparkConfig,
} from '../../../server/models/drafters/dspark/dsparkConfig';
import { loadDrafter } from '../../../server/models/families/registry';
import type { TargetConfig } from '../../../server/models/decoder/target';
import { cpu } from '../../support/cpu';
import { DSPARK, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { withConfig, writeCheckpoint } from '../../support/tinyCheckpoint';

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

/** Its own fields, as others write them. */
const BLOCK = ['block_size', 'mask_token_id', 'target_layer_ids'];
const HEADS = ['markov_rank', 'markov_head_type', 'enable_confidence_head', 'confidence_head_with_markov'];
const nestedIn = (name: string, fields: readonly string[], more: Entries = {}): Entries => ({
  ...Object.fromEntries(fields.map((field) => [field, undefined])),
  [name]: { ...Object.fromEntries(fields.map((field) => [field, qwen3.config[field]])), ...more },
});

const MISMATCHES: readonly Row[] = [
  [{ hidden_size: 128 }, 'hidden_size 64, as the target has', 'got 128'],
  [{ vocab_size: 257 }, 'vocab_size 256, as the target has', 'got 257'],
  [{ num_target_layers: 36 }, 'num_target_layers 4, as the target has', 'got 36'],
  [{ target_layer_ids: [0, 3] }, 'target_layer_ids from 0 to 2', 'got 3'],
  [{ target_layer_ids: [] }, 'target_layer_ids', 'got none'],
  [{ mask_token_id: 256 }, 'mask_token_id below 256', 'got 256'],
];

const WRONG: readonly Row[] = [
  ...['block_size', 'mask_token_id', 'target_layer_ids', 'markov_rank', 'markov_head_type'].map(
    (name): Row => [{ [name]: undefined }, name],
  ),
  ...['hidden_size', 'vocab_size', 'num_hidden_layers', 'intermediate_size'].map((name): Row => [
    { [name]: undefined },
    name,
  ]),
  ...[0, -7, 257, 7.5, '7'].map((size): Row => [{ block_size: size }, 'block_size']),
  ...[-1, 1.5, '250'].map((id): Row => [{ mask_token_id: id }, 'mask_token_id']),
  ...[[-1], [0.5], ['0'], '0'].map((ids): Row => [{ target_layer_ids: ids }, 'target_layer_ids']),
  ...[-1, 1.5, '16', 257].map((rank): Row => [{ markov_rank: rank }, 'markov_rank']),
  [{ markov_head_type: 'lstm' }, 'markov_head_type vanilla, gated, rnn', 'got lstm'],
  [{ markov_head_type: 3 }, 'markov_head_type'],
  [{ enable_confidence_head: 'yes' }, 'enable_confidence_head'],
  [{ confidence_head_with_markov: undefined }, 'confidence_head_with_markov'],
  [{ markov_rank: 0 }, 'markov_rank above 0 beside confidence_head_with_markov'],
  [{ layer_types: ['full_attention', 'sliding_attention'] }, 'layer_types of full_attention', 'sliding'],
  [{ layer_types: ['full_attention'] }, '2 layer_types'],
  [{ hidden_act: 'gelu' }, 'hidden_act "silu"', 'gelu'],
  [{ tie_word_embeddings: 'no' }, 'tie_word_embeddings'],
  [{ has_own_embed_tokens: 'no' }, 'has_own_embed_tokens', 'got "no"'],
  [{ has_own_lm_head: 0 }, 'has_own_lm_head', 'got 0'],
  [{ dspark_config: { has_own_lm_head: 'no' } }, 'dspark_config: has_own_lm_head', 'got "no"'],
  [{ shift_label: false }, 'shift_label true', 'got false'],
  [nestedIn('dflash_config', HEADS, { shift_label: false }), 'shift_label true', 'got false'],
  [nestedIn('dflash_config', HEADS, { projector_type: 'dflash' }), 'projector_type dspark', 'dflash'],
  [{ dspark_config: 3 }, 'dspark_config'],
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
  it('may have its fields in an object of their own, the top first', () => {
    const flat = parse({});
    for (const fields of [BLOCK, HEADS, [...BLOCK, ...HEADS]])
      for (const name of ['dspark_config', 'dflash_config']) {
        assert.deepEqual(parse(nestedIn(name, fields)), flat);
        const shifted = nestedIn(name, fields, { shift_label: true, projector_type: 'dspark' });
        assert.deepEqual(parse(shifted), flat);
      }
    assert.equal(parse({ dspark_config: { block_size: 3 } }).blockSize, 7);
  });

  it('leaves room for the anchor in what a target can take back', async () => {
    const recurrent = { ...TARGET, maxBlockSize: 8 };
    assert.equal(parse({}, recurrent).blockSize, 7);
    await assertRefused(() => parse({ block_size: 8 }, recurrent), 'integer from 1 to 7', 'block_size');
  });

  it('of Gemma 4 has the heads of its full layers, however they are written', () => {
    const parseGemma = (entries: Entries) => {
      const { config } = withConfig(gemma4, entries);
      return parseGemma4DSparkConfig(new ConfigFields('config.json', config), GEMMA_TARGET, '/nowhere');
    };
    const config = parseGemma({});
    assert.deepEqual([config.headDim, config.numKeyValueHeads, config.keysAsValues], [32, 1, true]);
    assert.equal(config.finalLogitSoftcapping, 30);
    assert.equal(config.embeddingScale, 8);
    assert.deepEqual(parseGemma({ per_layer_config: undefined }), config);
  });

  for (const [entries, ...mentions] of [...MISMATCHES, ...WRONG])
    it(`refuses ${JSON.stringify(entries, (_, value: unknown) => value ?? null)}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(qwen3, entries), tensors: {} });
      await assertRefused(() => loadDrafter(folder, TARGET, cpu), join(folder, 'config.json'), ...mentions);
    });

  for (const [entries, ...mentions] of GEMMA_WRONG)
    it(`of Gemma 4 refuses ${JSON.stringify(entries, (_, value: unknown) => value ?? null)}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(gemma4, entries), tensors: {} });
      const load = () => loadDrafter(folder, GEMMA_TARGET, cpu);
      await assertRefused(load, join(folder, 'config.json'), ...mentions);
    });

  it('advises another drafter when this one is for another target', () => {
    for (const [entries] of MISMATCHES)
      assert.throws(() => parse(entries), /; use the drafter .* this target/);
  });
});
