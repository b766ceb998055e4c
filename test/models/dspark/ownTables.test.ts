// DSpark checkpoints that leave the token table or the output head to the target, as their config says, and those that
// have one of the two for both.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadDrafter, loadTarget, type DrafterOptions } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { draftsOfFiles, type DraftsOptions } from '../../support/draftsOfFiles';
import { DSPARK, GEMMA4, QWEN3, readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

describe('a DSpark checkpoint without tables', () => {
  const plain = readCheckpoint(join(DSPARK, 'vanilla'));
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(QWEN3, cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  const load = async (written: Checkpoint, options: DrafterOptions = {}) =>
    await loadDrafter(writeCheckpoint(written), target.config, cpu, options);
  const draftsOf = (written: Checkpoint, options: DraftsOptions = {}) =>
    draftsOfFiles(target, written, options);

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

    it(`refuses tables that are there though it says ${fields.join(' and ')} false, and lacking ones otherwise`, async () => {
      for (const name of names) {
        const extra = withTensors(without(plain), { [name]: plain.tensors[name] });
        const missing = withTensors(plain, { [name]: undefined });
        for (const tables of [undefined, target.tables]) {
          await assertRefused(
            () => load(withConfig(extra, entries(false)), { tables }),
            `unexpected tensor ${name}`,
          );
          for (const each of [missing, withConfig(missing, entries(true))])
            await assertRefused(() => load(each, { tables }), name);
        }
      }
    });
  }

  it('is not tied to a table that it does not have', async () => {
    const none = withTensors(plain, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined });
    const tied = withConfig(none, { has_own_embed_tokens: false, tie_word_embeddings: true });
    await assertRefused(() => load(tied), 'lm_head.weight');
  });

  it('drafts for Gemma 4 by the tables of the target too, scaled and capped', async () => {
    const gemma = await loadTarget(GEMMA4, cpu);
    const whole = readCheckpoint(join(DSPARK, 'gemma4'));
    const left = withConfig(
      withTensors(whole, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined }),
      { has_own_embed_tokens: false, has_own_lm_head: false },
    );
    const [actual, expected] = [await draftsOfFiles(gemma, left), await draftsOfFiles(gemma, whole)];
    gemma.dispose();
    assertClose(actual.logits, expected.logits, 1e-5, 'logits');
  });
});
