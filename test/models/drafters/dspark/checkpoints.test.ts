// Tests DSpark drafters in different files: every tensor except tables is required by name, a drafter's own tables are
// used only if they differ from the target's, and heads can be missing or nested. The target is that of the goldens.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import { draftsOfFiles, type DraftsOptions } from '../../../support/draftsOfFiles';
import { floatTensor, tensorValues } from '../../../support/fileTensor';
import { DSPARK, QWEN3, readCheckpoint } from '../../../support/fixtures';
import { assertRefused } from '../../../support/refusal';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../../support/tinyCheckpoint';

const checkpoint = (name: string): Checkpoint => readCheckpoint(join(DSPARK, name));

describe('a DSpark checkpoint', () => {
  const plain = checkpoint('vanilla');
  let target: TargetModel;
  let arraysBefore: number;
  before(async () => (target = await loadTarget(QWEN3, testDevice)));
  after(() => target.dispose());
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  const load = async (written: Checkpoint) =>
    await loadDrafter(writeCheckpoint(written), target.config, testDevice);

  const draftsOf = (written: Checkpoint, options: DraftsOptions = {}) =>
    draftsOfFiles(target, written, options);

  /** Changes one value of a tensor. */
  function changed(written: Checkpoint, name: string): Checkpoint {
    const tensor = written.tensors[name];
    assert.ok(tensor);
    const values = tensorValues(tensor);
    values[values.length - 1] = (values.at(-1) ?? 0) + 1;
    return withTensors(written, { [name]: floatTensor(tensor.shape, values) });
  }

  it('drafts the same with its own tables and with equal ones of the target', async () => {
    const { tables } = target;
    const withOwnTables = await draftsOf(plain);
    assert.deepEqual(withOwnTables.notes, []);
    const shared = await draftsOf(plain, { tables });
    assertClose(shared.logits, withOwnTables.logits, 1e-6, 'logits');
    assert.equal(shared.notes.length, 1);
  });

  it('uses its own tables if a single value differs', async () => {
    const { tables } = target;
    const { logits } = await draftsOf(plain, { tables });
    for (const [name, shared] of [
      ['lm_head.weight', 'embed_tokens'],
      ['embed_tokens.weight', 'lm_head'],
    ] as const) {
      const withChange = changed(plain, name);
      const drafts = await draftsOf(withChange, { tables });
      assert.equal(drafts.notes.length, 1);
      assert.ok(
        drafts.notes[0]?.includes(shared) && !drafts.notes[0].includes(`${name.replace('.weight', '')} `),
      );
      assertClose(drafts.logits, (await draftsOf(withChange)).logits, 1e-6, 'logits');
      if (name === 'lm_head.weight') assert.notDeepEqual(drafts.logits, logits);
    }
    const neither = changed(changed(plain, 'lm_head.weight'), 'embed_tokens.weight');
    assert.deepEqual((await draftsOf(neither, { tables })).notes, []);
  });

  it('reads heads in nested modules, and names that begin with "model."', async () => {
    const { config, tensors } = checkpoint('gated');
    const renamed = (rename: (tensor: string) => string): Checkpoint => ({
      config,
      tensors: Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [rename(name), tensor])),
    });
    const usual = await draftsOf({ config, tensors });
    const inModule = renamed((name) => name.replace(/^(markov|confidence)_head/, 'logit_head.$&'));
    assert.deepEqual((await draftsOf(inModule)).logits, usual.logits);
    const prefixed = renamed((name) => `model.${name}`);
    assert.deepEqual((await draftsOf(prefixed, { tables: target.tables })).logits, usual.logits);
  });

  it('loads the heads whose tensors exist, whatever the fields say', async () => {
    const usual = await draftsOf(plain);
    const otherField = { enable_confidence_head: undefined, use_confidence_head: true };
    for (const fields of [
      otherField,
      { ...otherField, confidence_head_with_markov: undefined },
      { markov_head_type: undefined, markov_rank: undefined, confidence_head_with_markov: undefined },
      { markov_rank: 0, enable_confidence_head: false },
    ])
      assert.deepEqual((await draftsOf(withConfig(plain, fields))).logits, usual.logits);
    for (const head of ['gated', 'rnn']) {
      const written = checkpoint(head);
      const unnamed = withConfig(written, { markov_head_type: undefined });
      assert.deepEqual((await draftsOf(unnamed)).logits, (await draftsOf(written)).logits);
    }
    const heads = Object.keys(plain.tensors).filter((name) => /^(markov|confidence)_head/.test(name));
    const bare = withTensors(plain, Object.fromEntries(heads.map((name) => [name, undefined])));
    const headFields = { markov_rank: 0, enable_confidence_head: false };
    assert.deepEqual((await draftsOf(bare)).logits, (await draftsOf(withConfig(bare, headFields))).logits);
  });

  it('rotates whole heads, whatever its exporter copied from a hybrid target', async () => {
    const { rope_parameters: rope } = plain.config;
    const copied = {
      model_type: 'qwen3_5_text',
      attn_output_gate: true,
      partial_rotary_factor: 0.25,
      full_attention_interval: 4,
      linear_num_key_heads: 16,
      rope_parameters: { ...(rope as object), partial_rotary_factor: 0.25, mrope_section: [11, 11, 10] },
    };
    assert.deepEqual((await draftsOf(withConfig(plain, copied))).logits, (await draftsOf(plain)).logits);
  });

  it('drafts as the bare backbone without a Markov head', async () => {
    const heads = Object.keys(plain.tensors).filter((name) => /^(markov|confidence)_head/.test(name));
    const noHeads = Object.fromEntries(heads.map((name) => [name, undefined]));
    const config = { markov_rank: 0, markov_head_type: undefined, enable_confidence_head: false };
    const bare = await draftsOf(withConfig(withTensors(plain, noHeads), config));
    // A head whose second table is zero adds nothing.
    const { 'markov_head.markov_w2.weight': table } = plain.tensors;
    assert.ok(table);
    const zeros = floatTensor(table.shape, Array<number>(256 * 16).fill(0));
    const usual = await draftsOf(withTensors(plain, { 'markov_head.markov_w2.weight': zeros }));
    assertClose(bare.logits, usual.logits, 1e-6, 'logits');
  });

  it('reads a confidence head that does not see the previous draft', async () => {
    const narrow = withTensors(plain, {
      'confidence_head.proj.weight': floatTensor([1, 64], Array<number>(64).fill(0.5)),
    });
    const drafter = await load(withConfig(narrow, { confidence_head_with_markov: false }));
    drafter.dispose();
    await assertRefused(() => load(narrow), 'confidence_head.proj.weight [1, 80]', 'shape [1, 64]');
  });

  for (const head of ['rnn', 'gemma4'])
    it(`rejects a ${head} checkpoint that lacks a tensor other than a table, and names it`, async () => {
      const written = checkpoint(head);
      const gemma4 = { ...target.config, modelType: 'gemma4_text', numHiddenLayers: 6 };
      const isTable = (name: string) => /^(embed_tokens|lm_head)\./.test(name);
      for (const name of Object.keys(written.tensors).filter((tensor) => !isTable(tensor))) {
        const folder = writeCheckpoint(withTensors(written, { [name]: undefined }));
        const config = head === 'gemma4' ? gemma4 : target.config;
        await assertRefused(() => loadDrafter(folder, config, testDevice), name);
      }
    });
});
