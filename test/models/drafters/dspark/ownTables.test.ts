// Tests that a DSpark checkpoint without token table or output head uses that of the target, whatever its fields say,
// also if its config ties the two.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../../server/models/mlx/memory';
import { loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import { draftsOfFiles, type DraftsOptions } from '../../../support/draftsOfFiles';
import { floatTensor, tensorValues } from '../../../support/fileTensor';
import { DSPARK, GEMMA4, QWEN3, readCheckpoint } from '../../../support/fixtures';
import { withConfig, withTensors, type Checkpoint } from '../../../support/tinyCheckpoint';

describe('a DSpark checkpoint with or without tables', () => {
  const plain = readCheckpoint(join(DSPARK, 'vanilla'));
  let target: TargetModel;
  let arraysBefore: number;
  before(async () => (target = await loadTarget(QWEN3, testDevice)));
  after(() => target.dispose());
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  /** Returns a tensor of `plain` with its values doubled, which is not a copy of the target's. */
  function doubled(name: string) {
    const tensor = plain.tensors[name] ?? assert.fail(name);
    return floatTensor(
      tensor.shape,
      tensorValues(tensor).map((value) => 2 * value),
    );
  }

  const draftsOf = (written: Checkpoint, options: DraftsOptions = {}) =>
    draftsOfFiles(target, written, options);

  for (const names of [['embed_tokens'], ['lm_head'], ['embed_tokens', 'lm_head']]) {
    const removed = Object.fromEntries(names.map((name) => [`${name}.weight`, undefined]));
    const partial = withTensors(plain, removed);
    const ownFields = (value: boolean) => Object.fromEntries(names.map((name) => [`has_own_${name}`, value]));

    it(`uses the tables of the target if it has no ${names.join(' and ')}, whatever its fields say`, async () => {
      const { tables } = target;
      const expected = await draftsOf(plain);
      for (const checkpoint of [
        partial,
        withConfig(partial, ownFields(false)),
        withConfig(partial, ownFields(true)),
        withConfig(partial, { dspark_config: ownFields(false) }),
        withConfig(partial, { dflash_config: ownFields(false) }),
      ]) {
        assertClose((await draftsOf(checkpoint)).logits, expected.logits, 1e-6, 'logits');
        const shared = await draftsOf(checkpoint, { tables });
        assertClose(shared.logits, expected.logits, 1e-6, 'logits');
        // The table that remains is also a copy of the target's, which is logged.
        assert.equal(shared.notes.length, names.length === 1 ? 1 : 0);
      }
    });

    it(`uses its own ${names.join(' and ')}, whatever its fields say`, async () => {
      const own = withTensors(
        plain,
        Object.fromEntries(names.map((name) => [`${name}.weight`, doubled(`${name}.weight`)])),
      );
      const { logits } = await draftsOf(own);
      assert.notDeepEqual(logits, (await draftsOf(plain)).logits);
      for (const value of [true, false])
        assert.deepEqual((await draftsOf(withConfig(own, ownFields(value)))).logits, logits);
    });
  }

  it('ties no head to a table that the checkpoint does not have', async () => {
    const bare = withTensors(plain, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined });
    const tied = withConfig(bare, { tie_word_embeddings: true });
    assertClose((await draftsOf(tied)).logits, (await draftsOf(plain)).logits, 1e-6, 'logits');
  });

  it('uses the tables of a Gemma 4 target with their scale and cap', async () => {
    const gemma = await loadTarget(GEMMA4, testDevice);
    const complete = readCheckpoint(join(DSPARK, 'gemma4'));
    const partial = withTensors(complete, { 'embed_tokens.weight': undefined, 'lm_head.weight': undefined });
    const [actual, expected] = [await draftsOfFiles(gemma, partial), await draftsOfFiles(gemma, complete)];
    gemma.dispose();
    assertClose(actual.logits, expected.logits, 1e-5, 'logits');
  });
});
