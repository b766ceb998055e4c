// DSpark drafters in many files: every tensor is required by name, a checkpoint's own tables count if they differ from
// the target's, and heads may be missing or elsewhere. The target is that of the goldens.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DrafterOptions } from '../../../server/models/registry';
import type { Factor } from '../../../server/models/linear';
import { dispose, liveArrays } from '../../../server/models/memory';
import * as mx from '../../../server/models/ops';
import { loadDrafter, loadTarget } from '../../../server/models/registry';
import type { TargetModel } from '../../../server/models/target';
import { assertClose } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { commitTaps, draftLogits } from '../../support/draftRounds';
import { floatTensor, tensorValues } from '../../support/fileTensor';
import { DSPARK, GEMMA4, QWEN3, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import {
  storedAs,
  withConfig,
  withTensors,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';

const HEADS = ['vanilla', 'gated', 'rnn'];
const checkpoint = (name: string): Checkpoint => readCheckpoint(join(DSPARK, name));

describe('a DSpark checkpoint', () => {
  const plain = checkpoint('vanilla');
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(QWEN3, cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  const load = async (written: Checkpoint, options: DrafterOptions = {}, shards = 1) =>
    await loadDrafter(writeCheckpoint(written, shards), target.config, cpu, options);

  /** Its logits after some taps, and what was said about it. */
  async function draftsOf(written: Checkpoint, options: DrafterOptions = {}, shards = 1) {
    const notes: string[] = [];
    const drafter = await load(written, { ...options, onNote: (note) => notes.push(note) }, shards);
    const state = drafter.newState(target, 1);
    const width = drafter.taps.length * target.config.hiddenSize;
    const taps = seededIntegers(3, 8 * width, -64, 64).map((k) => k / 32);
    commitTaps(state, [1, 2, 3, 4, 5, 6, 7, 8], taps);
    const logits = draftLogits(state, 9, drafter.maxDraftTokens);
    state.dispose();
    drafter.dispose();
    return { logits, notes };
  }

  /** One value of that tensor is another one. */
  function changed(written: Checkpoint, name: string): Checkpoint {
    const tensor = written.tensors[name];
    assert.ok(tensor);
    const values = tensorValues(tensor);
    values[values.length - 1] = (values.at(-1) ?? 0) + 1;
    return withTensors(written, { [name]: floatTensor(tensor.shape, values) });
  }

  it('drafts the same by its own tables and by those of the target, where they are the same', async () => {
    const { tables } = target;
    const own = await draftsOf(plain);
    assert.deepEqual(own.notes, []);
    const shared = await draftsOf(plain, { tables });
    assertClose(shared.logits, own.logits, 1e-6, 'logits');
    assert.equal(shared.notes.length, 1);
  });

  it('drafts by its own tables where a single value of them differs', async () => {
    const { tables } = target;
    const { logits } = await draftsOf(plain, { tables });
    for (const [name, kept] of [
      ['lm_head.weight', 'embed_tokens'],
      ['embed_tokens.weight', 'lm_head'],
    ] as const) {
      const other = changed(plain, name);
      const drafts = await draftsOf(other, { tables });
      assert.equal(drafts.notes.length, 1);
      assert.ok(
        drafts.notes[0]?.includes(kept) && !drafts.notes[0].includes(`${name.replace('.weight', '')} `),
      );
      assertClose(drafts.logits, (await draftsOf(other)).logits, 1e-6, 'logits');
      if (name === 'lm_head.weight') assert.notDeepEqual(drafts.logits, logits);
    }
    const neither = changed(changed(plain, 'lm_head.weight'), 'embed_tokens.weight');
    assert.deepEqual((await draftsOf(neither, { tables })).notes, []);
  });

  it('may have its token table for an output head, if it says so', async () => {
    const { 'embed_tokens.weight': table } = plain.tensors;
    assert.ok(table);
    const twice = withTensors(plain, { 'lm_head.weight': table });
    const tied = withConfig(withTensors(plain, { 'lm_head.weight': undefined }), {
      tie_word_embeddings: true,
    });
    assert.deepEqual((await draftsOf(tied)).logits, (await draftsOf(twice)).logits);
  });

  for (const [fields, names] of [
    [['has_own_embed_tokens'], ['embed_tokens.weight']],
    [['has_own_lm_head'], ['lm_head.weight']],
    [
      ['has_own_embed_tokens', 'has_own_lm_head'],
      ['embed_tokens.weight', 'lm_head.weight'],
    ],
  ] as const) {
    const entries = (value: boolean) => Object.fromEntries(fields.map((field) => [field, value]));
    const without = (written: Checkpoint) =>
      withTensors(written, Object.fromEntries(names.map((name) => [name, undefined])));

    it(`drafts by the tables of the target if it says ${fields.join(' and ')} false`, async () => {
      const { tables } = target;
      const expected = await draftsOf(plain);
      const left = without(plain);
      for (const each of [
        withConfig(left, entries(false)),
        withConfig(left, { dspark_config: entries(false) }),
        withConfig(left, { dflash_config: entries(false) }),
      ]) {
        assertClose((await draftsOf(each)).logits, expected.logits, 1e-6, 'logits');
        const shared = await draftsOf(each, { tables });
        assertClose(shared.logits, expected.logits, 1e-6, 'logits');
        // The copy that is left is that of the target too.
        assert.equal(shared.notes.length, names.length === 1 ? 1 : 0);
      }
      assert.deepEqual((await draftsOf(withConfig(plain, entries(true)))).logits, expected.logits);
    });

    it(`refuses a table that is there though it says ${fields.join(' and ')} false, and one that is not otherwise`, async () => {
      for (const [i, name] of names.entries()) {
        const { [name]: table } = plain.tensors;
        assert.ok(table);
        const extra = withConfig(withTensors(without(plain), { [name]: table }), entries(false));
        for (const tables of [undefined, target.tables])
          await assertRefused(() => load(extra, { tables }), `unexpected tensor ${name}`);
        const missing = withTensors(plain, { [name]: undefined });
        for (const tables of [undefined, target.tables]) {
          await assertRefused(() => load(missing, { tables }), name);
          await assertRefused(() => load(withConfig(missing, entries(true)), { tables }), name);
        }
        const tied = withConfig(without(plain), { ...entries(false), tie_word_embeddings: true });
        if (fields[i] === 'has_own_embed_tokens' && names.length === 1)
          await assertRefused(
            () => load(withTensors(tied, { 'lm_head.weight': undefined })),
            'lm_head.weight',
          );
      }
    });
  }

  it('of Gemma 4 too', async () => {
    const gemma = await loadTarget(GEMMA4, cpu);
    const left = withConfig(
      withTensors(checkpoint('gemma4'), { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined }),
      { has_own_embed_tokens: false, has_own_lm_head: false },
    );
    const logits = [];
    for (const each of [left, checkpoint('gemma4')]) {
      const drafter = await loadDrafter(writeCheckpoint(each), gemma.config, cpu);
      const state = drafter.newState(gemma, 1);
      const width = drafter.taps.length * gemma.config.hiddenSize;
      commitTaps(state, [5], Array<number>(width).fill(0.5));
      logits.push(draftLogits(state, 9, drafter.maxDraftTokens).filter(Number.isFinite));
      state.dispose();
      drafter.dispose();
    }
    gemma.dispose();
    assertClose(logits[0] ?? [], logits[1] ?? [NaN], 1e-5, 'logits');
  });

  it('may be tied where only its token table is that of the target', async () => {
    const tied = withConfig(withTensors(plain, { 'lm_head.weight': undefined }), {
      tie_word_embeddings: true,
    });
    assert.ok(target.tables);
    const dense = mx.zeros([1], mx.float32);
    const tables = { table: target.tables.table, head: { dense } as Factor };
    const { logits, notes } = await draftsOf(tied, { tables });
    dispose([dense]);
    assert.equal(notes.length, 1);
    assertClose(logits, (await draftsOf(tied)).logits, 1e-6, 'logits');
  });

  it('may have its heads in a module, and all names behind "model."', async () => {
    for (const name of HEADS) {
      const usual = await draftsOf(checkpoint(name));
      const renamed = (rename: (tensor: string) => string): Checkpoint => {
        const { config, tensors } = checkpoint(name);
        const pairs = Object.entries(tensors).map(([own, tensor]) => [rename(own), tensor] as const);
        return { config, tensors: Object.fromEntries(pairs) };
      };
      const inModule = renamed((own) => own.replace(/^(markov|confidence)_head/, 'logit_head.$&'));
      assert.deepEqual((await draftsOf(inModule)).logits, usual.logits);
      const prefixed = renamed((own) => `model.${own}`);
      assert.deepEqual((await draftsOf(prefixed, { tables: target.tables })).logits, usual.logits);
    }
  });

  it('is the same in half precision and in shards', async () => {
    const half = storedAs(plain, 'BF16');
    assertClose((await draftsOf(half, {}, 3)).logits, (await draftsOf(half)).logits, 1e-6, 'logits');
  });

  it('without a Markov head is the bare backbone', async () => {
    const heads = Object.keys(plain.tensors).filter((name) => /^(markov|confidence)_head/.test(name));
    const none = Object.fromEntries(heads.map((name) => [name, undefined]));
    const config = { markov_rank: 0, markov_head_type: undefined, enable_confidence_head: false };
    const bare = await draftsOf(withConfig(withTensors(plain, none), config));
    // A head whose second table is nothing adds nothing.
    const { 'markov_head.markov_w2.weight': table } = plain.tensors;
    assert.ok(table);
    const silent = floatTensor(table.shape, Array<number>(256 * 16).fill(0));
    const usual = await draftsOf(withTensors(plain, { 'markov_head.markov_w2.weight': silent }));
    assertClose(bare.logits, usual.logits, 1e-6, 'logits');
  });

  it('may have a confidence head that does not see the draft before', async () => {
    const narrow = withTensors(plain, {
      'confidence_head.proj.weight': floatTensor([1, 64], Array<number>(64).fill(0.5)),
    });
    const drafter = await load(withConfig(narrow, { confidence_head_with_markov: false }));
    drafter.dispose();
    await assertRefused(() => load(narrow), 'confidence_head.proj.weight [1, 80]', 'shape [1, 64]');
  });

  for (const head of [...HEADS, 'gemma4'])
    describe(`with the ${head} head refuses, by name,`, () => {
      const written = checkpoint(head);
      const config = () =>
        head === 'gemma4'
          ? { ...target.config, modelType: 'gemma4_text', numHiddenLayers: 6 }
          : target.config;
      const loadIt = (each: Checkpoint) => async () =>
        await loadDrafter(writeCheckpoint(each), config(), cpu);

      it('every tensor that is missing', async () => {
        for (const name of Object.keys(written.tensors))
          await assertRefused(loadIt(withTensors(written, { [name]: undefined })), name);
      });

      it('every tensor of another shape', async () => {
        for (const [name, { shape }] of Object.entries(written.tensors)) {
          const wrong = [...shape.slice(0, -1), (shape.at(-1) ?? 0) + 1];
          const values = Array<number>(wrong.reduce((product, n) => product * n, 1)).fill(0);
          const each = withTensors(written, { [name]: floatTensor(wrong, values) });
          await assertRefused(loadIt(each), `${name} [${shape.join(', ')}]`, `shape [${wrong.join(', ')}]`);
        }
      });

      it('tensors that are too many', async () => {
        const tensor = floatTensor([1], [0]);
        for (const name of ['layers.2.mlp.up_proj.weight', 'markov_head.more.weight', 'confidence_head.x'])
          await assertRefused(loadIt(withTensors(written, { [name]: tensor })), `unexpected tensor ${name}`);
      });
    });

  it('of another head type is refused by the tensors that it lacks or has', async () => {
    for (const own of HEADS)
      for (const other of HEADS) {
        if (own === other) continue;
        const each = withConfig(checkpoint(own), { markov_head_type: other });
        await assertRefused(async () => await load(each), 'markov_head.');
      }
  });
});
