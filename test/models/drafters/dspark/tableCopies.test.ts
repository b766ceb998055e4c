// DSpark checkpoints that use the token table or output head of the target, as their tensors show, and those with one
// table for both.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { loadTarget } from '../../../../server/models/families/registry';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { cpu } from '../../../support/cpu';
import { draftsOfFiles, type DraftsOptions } from '../../../support/draftsOfFiles';
import { DSPARK, GEMMA4, QWEN3, readCheckpoint } from '../../../support/fixtures';
import { withConfig, withTensors, type Checkpoint } from '../../../support/tinyCheckpoint';

describe('a DSpark checkpoint without tables', () => {
  const plain = readCheckpoint(join(DSPARK, 'vanilla'));
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(QWEN3, cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  const draftsOf = (written: Checkpoint, options: DraftsOptions = {}) =>
    draftsOfFiles(target, written, options);

  for (const names of [['embed_tokens'], ['lm_head'], ['embed_tokens', 'lm_head']]) {
    const left = withTensors(plain, Object.fromEntries(names.map((name) => [`${name}.weight`, undefined])));
    const stated = (value: boolean) => Object.fromEntries(names.map((name) => [`has_own_${name}`, value]));

    it(`uses the tables of the target without ${names.join(' and ')}, whatever its fields say`, async () => {
      const { tables } = target;
      const expected = await draftsOf(plain);
      for (const each of [
        left,
        withConfig(left, stated(false)),
        withConfig(left, stated(true)),
        withConfig(left, { dspark_config: stated(false) }),
        withConfig(left, { dflash_config: stated(false) }),
      ]) {
        assertClose((await draftsOf(each)).logits, expected.logits, 1e-6, 'logits');
        const shared = await draftsOf(each, { tables });
        assertClose(shared.logits, expected.logits, 1e-6, 'logits');
        // The table that remains is also a copy of the target's, which is logged.
        assert.equal(shared.notes.length, names.length === 1 ? 1 : 0);
      }
    });

    it(`uses its own ${names.join(' and ')}, whatever its fields say`, async () => {
      const { logits } = await draftsOf(plain);
      for (const value of [true, false])
        assert.deepEqual((await draftsOf(withConfig(plain, stated(value)))).logits, logits);
    });
  }

  it('ties no head to a table that the checkpoint does not have', async () => {
    const none = withTensors(plain, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined });
    const tied = withConfig(none, { tie_word_embeddings: true });
    assertClose((await draftsOf(tied)).logits, (await draftsOf(plain)).logits, 1e-6, 'logits');
  });

  it('uses the tables of a Gemma 4 target with their scale and cap', async () => {
    const gemma = await loadTarget(GEMMA4, cpu);
    const whole = readCheckpoint(join(DSPARK, 'gemma4'));
    const left = withTensors(whole, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined });
    const [actual, expected] = [await draftsOfFiles(gemma, left), await draftsOfFiles(gemma, whole)];
    gemma.dispose();
    assertClose(actual.logits, expected.logits, 1e-5, 'logits');
  });
});
