// Tests that drafters in the form of vLLM's speculators draft the same as in the form of z-lab or DeepSpec. Also tests
// reduced vocabularies with their maps, and errors that name the algorithm or the map.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { isDrafter } from '../../../server/models/checkpoint/modelFiles';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { liveArrays } from '../../../server/models/mlx/memory';
import { fieldsOf } from '../../../server/rules/json';
import { loadable } from '../../../server/models/loadable';
import { loadDrafter, loadTarget } from '../../support/loadModels';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { draftRounds } from '../../support/draftRounds';
import { draftsOfFiles } from '../../support/draftsOfFiles';
import { DFLASH, DFLASH2, DSPARK, GEMMA4, QWEN3, readCheckpoint, readGolden } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { inSpeculatorsForm, vocabularyMaps, withReducedVocabulary } from '../../support/speculatorsForm';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

const KEPT = Array.from({ length: 256 }, (_, id) => id).filter((id) => id % 3 !== 1);

const FORMS = [
  ['dflash', DFLASH],
  ['dflash2', join(DFLASH2, 'full')],
  ['dspark', join(DSPARK, 'vanilla')],
  ['dspark', join(DSPARK, 'gated')],
  ['dspark', join(DSPARK, 'rnn')],
] as const;

describe('a drafter in the form of speculators', () => {
  const targetTensors = readCheckpoint(QWEN3).tensors;
  let target: TargetModel;
  let arraysBefore: number;
  before(async () => (target = await loadTarget(QWEN3, testDevice)));
  after(() => target.dispose());
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  const load = async (written: Checkpoint) =>
    await loadDrafter(writeCheckpoint(written), target.config, testDevice);

  for (const [algorithm, directory] of FORMS) {
    const plain = readCheckpoint(directory);
    it(`drafts the same as in its original form: ${algorithm} of ${directory}`, async () => {
      const expected = await draftsOfFiles(target, plain);
      const written = inSpeculatorsForm(plain, algorithm);
      assert.deepEqual((await draftsOfFiles(target, written)).logits, expected.logits);
      assert.ok(isDrafter(new ConfigFields('config.json', written.config)));
    });
  }

  it('has causal sliding layers unless sliding_window_non_causal is set', async () => {
    const twoWay = readCheckpoint(join(DFLASH2, 'sliding'));
    const { logits } = await draftsOfFiles(target, twoWay);
    const logitsWith = async (fields: object) => {
      const written = inSpeculatorsForm(twoWay, 'dflash2', { is_causal: undefined, ...fields });
      return (await draftsOfFiles(target, written)).logits;
    };
    assert.deepEqual(await logitsWith({ sliding_window_non_causal: true }), logits);
    assert.notDeepEqual(await logitsWith({}), logits);
  });

  it('reads a field from the top level rather than from its network', async () => {
    const sliding = readCheckpoint(join(DFLASH2, 'sliding'));
    const written = inSpeculatorsForm(sliding, 'dflash2');
    const network = fieldsOf(written.config['transformer_layer_config']);
    const logitsWith = async (outer: unknown, inner: unknown) => {
      const transformer_layer_config = { ...network, sliding_window: inner };
      const both = withConfig(written, { sliding_window: outer, transformer_layer_config });
      return (await draftsOfFiles(target, both)).logits;
    };
    const window = network['sliding_window'];
    assert.deepEqual(await logitsWith(window, 2), await logitsWith(undefined, window));
    assert.notDeepEqual(await logitsWith(2, window), await logitsWith(undefined, window));
  });

  for (const [algorithm, directory] of FORMS.filter(([name]) => name !== 'dflash2'))
    it(`drafts only tokens of its reduced vocabulary: ${algorithm} of ${directory}`, async () => {
      const fullDrafter = await loadDrafter(directory, target.config, testDevice);
      const written = withReducedVocabulary(readCheckpoint(directory), algorithm, KEPT, targetTensors);
      const ids = readGolden(QWEN3)('input_ids');
      for (const removed of [{}, { d2t: undefined }, { t2d: undefined }]) {
        const drafter = await load(withTensors(written, removed));
        // The first row has the same state and the same token before it in both.
        const [expected, actual] = [fullDrafter, drafter].map(
          (candidate) => draftRounds(target, candidate, ids, [12], { count: 1 })[0]?.logits ?? assert.fail(),
        );
        assert.ok(expected && actual);
        assert.deepEqual(
          actual.flatMap((value, id) => (Number.isFinite(value) ? [id] : [])),
          KEPT.filter((id) => Number.isFinite(expected[id])),
        );
        const finite = (values: readonly number[]) =>
          values.filter((_value, id) => Number.isFinite(actual[id]));
        assertClose(finite(actual), finite(expected), 1e-5, 'logits');
        const rounds = draftRounds(target, drafter, ids, [12, 15, 22]);
        assert.ok(rounds.every(({ tokens }) => tokens.every((token) => KEPT.includes(token))));
        drafter.dispose();
      }
      fullDrafter.dispose();
    });

  it('uses the rows of its vocabulary in the head of the target if it has no head', async () => {
    const written = withReducedVocabulary(readCheckpoint(DFLASH), 'dflash', KEPT, targetTensors);
    const bare = withTensors(written, { 'lm_head.weight': undefined, 'embed_tokens.weight': undefined });
    const [expected, actual] = [await draftsOfFiles(target, written), await draftsOfFiles(target, bare)];
    assertClose(actual.logits, expected.logits, 1e-5, 'logits');
  });

  it('ignores parts of the target that training leaves in its file', async () => {
    const written = inSpeculatorsForm(readCheckpoint(DFLASH), 'dflash');
    const withParts = withTensors(written, {
      'verifier_norm.weight': targetTensors['model.norm.weight'],
      'verifier_lm_head.weight': targetTensors['model.embed_tokens.weight'],
    });
    const [expected, actual] = [await draftsOfFiles(target, written), await draftsOfFiles(target, withParts)];
    assert.deepEqual(actual.logits, expected.logits);
  });

  it('keeps its own unscaled table if the target scales its rows', async () => {
    const gemma = await loadTarget(GEMMA4, testDevice);
    const { tensors } = readCheckpoint(GEMMA4);
    const written = withTensors(inSpeculatorsForm(readCheckpoint(DFLASH), 'dflash'), {
      'embed_tokens.weight': tensors['model.embed_tokens.weight'],
    });
    const [withoutTables, withTables] = [
      await draftsOfFiles(gemma, written),
      await draftsOfFiles(gemma, written, { tables: gemma.tables }),
    ];
    gemma.dispose();
    assert.deepEqual(withTables.logits, withoutTables.logits);
  });

  it('drafts as many tokens as sample_from_anchor or speculative_tokens says', async () => {
    const plain = readCheckpoint(DFLASH);
    const dspark = readCheckpoint(join(DSPARK, 'vanilla'));
    const tokens = (count: number) => ({
      sample_from_anchor: undefined,
      speculators_config: { algorithm: 'x', proposal_methods: [{ speculative_tokens: count }] },
    });
    for (const [written, count] of [
      [inSpeculatorsForm(plain, 'dflash'), 7],
      [inSpeculatorsForm(plain, 'dflash', { sample_from_anchor: true }), 8],
      [inSpeculatorsForm(plain, 'dflash', tokens(8)), 8],
      [inSpeculatorsForm(plain, 'dflash', tokens(7)), 7],
      [inSpeculatorsForm(dspark, 'dspark'), 7],
      [inSpeculatorsForm(dspark, 'dspark', { sample_from_anchor: false }), 6],
      [inSpeculatorsForm(dspark, 'dspark', { sample_from_anchor: undefined }), 6],
      [inSpeculatorsForm(dspark, 'dspark', tokens(7)), 7],
    ] as const) {
      const drafter = await load(written);
      assert.equal(drafter.maxDraftTokens, count);
      drafter.dispose();
    }
    const [sevenRows, eightRows] = [
      await draftsOfFiles(target, plain),
      await draftsOfFiles(target, inSpeculatorsForm(plain, 'dflash', { sample_from_anchor: true })),
    ];
    assert.deepEqual(eightRows.logits.slice(-sevenRows.logits.length), sevenRows.logits);
  });

  it('rejects a drafter of an unsupported algorithm by name, also before a download', async () => {
    const dflash = readCheckpoint(DFLASH);
    for (const algorithm of ['eagle3', 'eagle', 'mtp', 'peagle', 'constructor']) {
      const written = inSpeculatorsForm(dflash, algorithm, { architectures: ['LlamaForCausalLM'] });
      await assertRefused(() => load(written), 'algorithm dflash, dflash2, dspark', algorithm, 'config.json');
      const fields = new ConfigFields('config.json', written.config);
      assert.ok(!isDrafter(fields));
      assert.match(loadable.problemOf(fields)?.message ?? '', new RegExp(algorithm));
      const unnamed = withConfig(written, { speculators_model_type: undefined });
      await assertRefused(() => load(unnamed), algorithm);
      await assertRefused(
        () => loadTarget(writeCheckpoint(written), testDevice),
        'a target model',
        'a drafter',
      );
    }
    const neither = { speculators_model_type: undefined, speculators_config: 3 };
    await assertRefused(() => load(inSpeculatorsForm(dflash, 'dflash', neither)), 'algorithm', 'nothing');
  });

  it('rejects a drafter by the name of a field that changes its network', async () => {
    const dflash = readCheckpoint(DFLASH);
    for (const [fields, ...mentions] of [
      [{ draft_ffn_type: 'moe' }, 'draft_ffn_type', 'moe'],
      [{ use_aux_hidden_state: false }, 'use_aux_hidden_state'],
      [{ logit_scale: -2 }, 'logit_scale'],
      [{ target_hidden_size: 128 }, 'target_hidden_size 64', '128'],
      [{ aux_hidden_state_layer_ids: [0, 2] }, 'aux_hidden_state_layer_ids', 'got 0'],
      [{ aux_hidden_state_layer_ids: undefined }, 'aux_hidden_state_layer_ids'],
      [{ transformer_layer_config: undefined }, 'transformer_layer_config'],
      [{ draft_vocab_size: 257 }, 'draft_vocab_size', '257'],
      [{ mask_token_id: null }, 'mask_token_id'],
    ] as const)
      await assertRefused(() => load(inSpeculatorsForm(dflash, 'dflash', fields)), ...mentions);
  });

  it('rejects maps of the vocabulary out of range, with duplicates, or that disagree', async () => {
    const written = withReducedVocabulary(readCheckpoint(DFLASH), 'dflash', KEPT, targetTensors);
    const maps = (ids: readonly number[]) => vocabularyMaps(ids, 256);
    const last = (id: number) => [...KEPT.slice(0, -1), id];
    for (const [tensors, ...mentions] of [
      [{ d2t: undefined, t2d: undefined }, 'd2t or t2d', 'neither'],
      [{ d2t: maps(last(256))['d2t'], t2d: undefined }, 'below 256', 'got 256'],
      [{ d2t: maps(last(-1))['d2t'] }, 'below 256', 'got -1'],
      [{ d2t: maps(last(0))['d2t'], t2d: undefined }, 'different tokens'],
      [{ d2t: undefined, t2d: maps(KEPT.slice(1))['t2d'] }, 'different tokens'],
      [{ t2d: maps(last(1))['t2d'] }, 'd2t and t2d'],
      [{ d2t: maps(KEPT.slice(1))['d2t'] }, 'd2t'],
    ] as const)
      await assertRefused(() => load(withTensors(written, tensors)), ...mentions);
  });
});
