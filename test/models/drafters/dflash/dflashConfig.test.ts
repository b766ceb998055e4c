// Tests the config.json of DFlash drafters, and the error for everything that does not fit the target or a drafter of
// this kind.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConfigFields } from '../../../../server/models/checkpoint/configFields';
import { parseDFlashConfig } from '../../../../server/models/drafters/dflash/dflashConfig';
import { loadDrafter } from '../../../support/loadModels';
import type { TargetConfig } from '../../../../server/models/decoder/target';
import type { WrongValue } from '../../../../server/rules/userError';
import { testDevice } from '../../../support/testDevice';
import { DFLASH2, readCheckpoint } from '../../../support/fixtures';
import { assertRefused } from '../../../support/refusal';
import { tinyDrafter, withConfig, writeCheckpoint } from '../../../support/tinyCheckpoint';

const TARGET: TargetConfig = {
  modelType: 'qwen3',
  hiddenSize: 128,
  numHiddenLayers: 3,
  vocabSize: 96,
  maxPositionEmbeddings: 512,
  eosTokenIds: [],
};

/** Parses the tiny drafter's configuration with other entries. */
const parse = (entries: Readonly<Record<string, unknown>>, target = TARGET) =>
  parseDFlashConfig(new ConfigFields('config.json', withConfig(tinyDrafter(), entries).config), target);

/** Fields of dflash_config, the nested object. */
const nested = (entries: Readonly<Record<string, unknown>>) => ({
  dflash_config: { mask_token_id: 90, target_layer_ids: [1, 0], ...entries },
});

/** Second generation of DFlash. */
const GEN2 = { architectures: ['DFlash2DraftModel'] };

type Row = readonly [entries: Readonly<Record<string, unknown>>, ...mentions: string[]];

const MISMATCHES: readonly Row[] = [
  [{ hidden_size: 64 }, 'hidden_size 128, as the target has', 'got 64'],
  [{ vocab_size: 97 }, 'vocab_size 96, as the target has', 'got 97'],
  [{ num_target_layers: 36 }, 'num_target_layers 3, as the target has', 'got 36'],
  [{ target_hidden_size: 64 }, 'target_hidden_size 128, as the target has', 'got 64'],
  [nested({ target_layer_ids: [0, 3] }), 'target_layer_ids from 0 to 1', 'got 3'],
  [nested({ mask_token_id: 96 }), 'mask_token_id below 96', 'got 96'],
];

/** Values that are refused at the top level, by the name of their field. */
const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  target_layer_ids: [[-1, 0], [0.5], ['0'], '0', [null]],
  mask_token_id: [-1, 1.5, '90'],
  block_size: [undefined, 0, 1, 257, 7.5, '8'],
  min_block_size: [0, 1, 9, '4'],
  num_hidden_layers: [undefined, 0, '2', 1000],
  vocab_size: [undefined, '96'],
  num_target_layers: ['3'],
  dflash_config: ['dflash', [1]],
  is_causal: ['no'],
  input_embedding_scale: [0, -1, '1'],
  output_multiplier: [0, '1'],
  final_logit_softcapping: ['no'],
  layer_types: ['full_attention'],
  head_dim: [31],
};

const WRONG: readonly Row[] = [
  [
    nested({ target_layer_ids: [0, 2] }),
    'target_layer_ids from 0 to 1',
    'got 2 (the last layer, with or without the final norm)',
  ],
  [nested({ target_layer_ids: [] }), 'target_layer_ids', 'got an empty list'],
  [{ block_size: undefined }, 'block_size', 'got none'],
  ...Object.entries(WRONG_VALUES).flatMap(([name, values]) =>
    values.map((value): Row => [{ [name]: value }, name]),
  ),
  ...[0, 129, '64'].map((rank): Row => [nested({ selector_rank: rank, selector_top_k: 4 }), 'selector_rank']),
  ...[undefined, 0, 97].map((topK): Row => [
    nested({ selector_rank: 64, selector_top_k: topK }),
    'selector_top_k',
  ]),
  ...[undefined, 0, 7].map((taps): Row => [
    nested({ conv_kernel_size: taps, conv_group_size: 16 }),
    'conv_kernel_size',
  ]),
  ...[undefined, 0, 48].map((size): Row => [
    nested({ conv_kernel_size: 2, conv_group_size: size }),
    'conv_group_size',
  ]),
  [nested({ attention_sink_bias: true }), 'attention_sink_bias null', 'got true'],
  [{ rope_is_neox_style: false }, 'rope_is_neox_style true', 'got false'],
  [nested({ causal: 0 }), 'causal'],
  // The rows of such drafters predict the next token.
  [{ shift_label: true }, 'shift_label false', 'got true'],
  [nested({ shift_label: true }), 'shift_label false', 'got true'],
  [nested({ projector_type: 'dspark' }), 'projector_type dflash', 'dspark'],
  [{ markov_rank: 16 }, 'no markov_rank', 'got 16'],
  [GEN2, 'conv_kernel_size or selector_rank', 'got neither'],
  [
    { ...GEN2, ...nested({ selector_rank: 8, selector_top_k: 4, target_layer_ids: null }) },
    'target_layer_ids',
  ],
  [{ layer_types: ['full_attention'] }, '2 layer_types', 'got full_attention'],
  [{ layer_types: ['full_attention', 'linear_attention'] }, '2 layer_types', 'linear_attention'],
  [{ layer_types: Array(2).fill('sliding_attention') }, 'sliding_window'],
  [
    { rope_scaling: { rope_type: 'longrope' } },
    'rope_type default, linear, dynamic, llama3, yarn or proportional',
  ],
];

describe('the DFlash configuration', () => {
  it('blames another target only if another target is the reason', () => {
    for (const [entries, remedy] of [
      [nested({ target_layer_ids: [0, 3] }), 'use the drafter that was trained for this target, or none'],
      [nested({ target_layer_ids: [0, 2] }), 'use a drafter that reads inner layers only, or none'],
      [nested({ target_layer_ids: [] }), 'correct the file or download it again'],
      [{ block_size: undefined }, 'give the size that the drafter was trained with, or use another drafter'],
    ] as const)
      assert.throws(
        () => parse(entries),
        (error: WrongValue) => error.mismatch.remedy === remedy,
        remedy,
      );
  });

  it('allows full blocks only, unless the file names a narrowest block', () => {
    assert.equal(parse({ block_size: 7 }).minBlockSize, 7);
    assert.equal(parse({ block_size: 7, ...nested({ min_block_size: 2 }) }).minBlockSize, 2);
    assert.equal(parse({ block_size: 7, min_block_size: 7 }).minBlockSize, 7);
  });

  it('reads a DFlash config from the top level, then from dflash_config', () => {
    assert.equal(parse({ block_size: undefined, ...nested({ block_size: 9 }) }).blockSize, 9);
    assert.equal(parse({ block_size: 5, ...nested({ block_size: 9 }) }).blockSize, 5);
    assert.equal(parse({ mask_token_id: 3 }).maskTokenId, 3);
    assert.deepEqual(parse({ target_layer_ids: [0] }).targetLayerIds, [0]);
  });

  it('reads a config of the second generation from dflash_config first', () => {
    const selector = { selector_rank: 8, selector_top_k: 4 };
    const entries = { ...GEN2, block_size: 16, selector_top_k: 5 };
    const { blockSize, selector: read } = parse({ ...entries, ...nested({ ...selector, block_size: 8 }) });
    assert.deepEqual([blockSize, read], [8, { rank: 8, topK: 4 }]);
  });

  it('reads a missing, null, zero or negative soft cap as none', () => {
    for (const final_logit_softcapping of [undefined, null, 0, -1])
      assert.equal(parse(nested({ final_logit_softcapping })).finalLogitSoftcapping, undefined);
    assert.equal(parse(nested({ final_logit_softcapping: 20 })).finalLogitSoftcapping, 20);
  });

  it('rejects parts of DFlash 2 without tensors, and tensors without fields', async () => {
    const { config, tensors } = readCheckpoint(join(DFLASH2, 'full'));
    const target = { ...TARGET, hiddenSize: 64, numHiddenLayers: 4, vocabSize: 256 };
    for (const [fields, names] of [
      [['conv_kernel_size', 'conv_group_size'], /_conv\./],
      [['selector_rank', 'selector_top_k'], /^candidate_selector\./],
    ] as const) {
      const allFields = Object.entries(config['dflash_config'] as object);
      const remaining = allFields.filter(([name]) => !fields.some((field) => field === name));
      const withoutFields = writeCheckpoint({
        config: { ...config, dflash_config: Object.fromEntries(remaining) },
        tensors,
      });
      const unexpectedTensor = /unexpected tensor .*(_conv|candidate_sel)/;
      await assert.rejects(loadDrafter(withoutFields, target, testDevice), unexpectedTensor);
      const kept = Object.entries(tensors).filter(([name]) => !names.test(name));
      const withoutTensors = writeCheckpoint({ config, tensors: Object.fromEntries(kept) });
      const missingTensor = /Expected tensor .*(_conv|candidate_sel)/;
      await assert.rejects(loadDrafter(withoutTensors, target, testDevice), missingTensor);
    }
  });

  it('rejects a block with more rows than the target can forget', async () => {
    const recurrent = { ...TARGET, maxBlockSize: 16 };
    assert.equal(parse({ block_size: 16 }, recurrent).blockSize, 16);
    await assertRefused(() => parse({ block_size: 17 }, recurrent), 'integer from 2 to 16', 'block_size');
    assert.equal(parse({ block_size: 256 }, { ...TARGET, maxBlockSize: 999 }).blockSize, 256);
  });

  for (const [layers, count, expected] of [
    [36, 5, [1, 9, 17, 25, 33]],
    [64, 5, [1, 16, 31, 46, 61]],
    [28, 2, [1, 25]],
    [7, 3, [1, 2, 4]],
    [9, 1, [4]],
  ] as const) {
    it(`spreads ${count} taps over ${layers} layers by default`, () => {
      const entries = {
        num_hidden_layers: count,
        num_target_layers: layers,
        dflash_config: { mask_token_id: 90 },
      };
      const { targetLayerIds } = parse(entries, { ...TARGET, numHiddenLayers: layers });
      assert.deepEqual(targetLayerIds, expected);
    });
  }

  it('reads whether layers are causal from is_causal, then from dflash_config', () => {
    const sliding = { layer_types: ['sliding_attention', 'full_attention'], sliding_window: 16 };
    const causalOf = (entries: Readonly<Record<string, unknown>>) =>
      parse({ ...sliding, ...entries }).layerPatterns.map((pattern) => pattern.causal);
    for (const causal of [true, false]) {
      assert.deepEqual(causalOf(nested({ causal })), [causal, causal]);
      assert.deepEqual(causalOf({ ...nested({ causal }), is_causal: !causal }), [!causal, !causal]);
    }
  });

  it('reads whether the anchor drafts from the top level, then from dflash_config', () => {
    assert.equal(parse(nested({ sample_from_anchor: true })).firstRow, 0);
    assert.equal(parse({ ...nested({ sample_from_anchor: true }), sample_from_anchor: false }).firstRow, 1);
  });

  it('accepts a config without the number of target layers, and takes windows only from layer_types', () => {
    assert.deepEqual(parse({ num_target_layers: undefined }), parse({}));
    const entries = { use_sliding_window: true, max_window_layers: 0, sliding_window: 4 };
    assert.deepEqual(parse(entries), parse({}));
  });

  for (const [entries, ...mentions] of [...MISMATCHES, ...WRONG]) {
    it(`refuses ${JSON.stringify(entries, (_, value: unknown) => value ?? null)}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(tinyDrafter(), entries), tensors: {} });
      await assertRefused(
        () => loadDrafter(folder, TARGET, testDevice),
        join(folder, 'config.json'),
        ...mentions,
      );
    });
  }

  it('recommends another drafter if this one is for another target', () => {
    for (const [entries] of MISMATCHES)
      assert.throws(() => parse(entries), /; use the drafter .* this target/);
  });
});
