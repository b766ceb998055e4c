// Compares DSpark with the DeepSpec reference over three rounds, for each Markov head and for Gemma 4.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Drafter } from '../../../../server/models/drafters/drafter';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import { draftRounds } from '../../../support/draftRounds';
import { DSPARK, GEMMA4, QWEN3, readGolden } from '../../../support/fixtures';

const TOLERANCE = 2e-3;

const GOLDENS = [
  { name: 'vanilla', targetDirectory: QWEN3, taps: [0, 2], maskId: 250 },
  { name: 'gated', targetDirectory: QWEN3, taps: [0, 2], maskId: 250 },
  { name: 'rnn', targetDirectory: QWEN3, taps: [0, 2], maskId: 250 },
  { name: 'gemma4', targetDirectory: GEMMA4, taps: [0, 2, 4], maskId: 4 },
];

for (const { name, targetDirectory, taps, maskId } of GOLDENS) {
  const directory = join(DSPARK, name);
  describe(`DSpark, ${name}, against its golden`, () => {
    const golden = readGolden(directory);
    const ids = golden('input_ids');
    const starts = [0, 1, 2].map((round) => golden(`r${round}.start`)[0] ?? 0);
    const notes: string[] = [];
    let target: TargetModel;
    let drafter: Drafter;
    before(async () => {
      target = await loadTarget(targetDirectory, testDevice);
      const { config, tables } = target;
      drafter = await loadDrafter(directory, config, testDevice, {
        tables,
        onNote: (note) => notes.push(note),
      });
    });
    after(() => {
      drafter.dispose();
      target.dispose();
    });

    it('reads block size and taps, and logs that its tables equal those of the target', () => {
      assert.equal(drafter.maxDraftTokens, 7);
      assert.deepEqual(drafter.taps, taps);
      assert.equal(notes.length, 1);
      assert.match(notes[0] ?? '', /embed_tokens and lm_head/);
    });

    it('drafts the logits, tokens and confidence of three rounds on a growing context', () => {
      const { vocabSize } = target.config;
      const isDraftable = (_: number, i: number) => i % vocabSize !== maskId;
      for (const [i, round] of draftRounds(target, drafter, ids, starts).entries()) {
        const expected = (what: string): number[] => golden(`r${i}.${what}`);
        assertClose(round.base, expected('base_logits'), TOLERANCE, `base logits of round ${i}`);
        const logits = expected('draft_logits').filter(isDraftable);
        assertClose(round.logits.filter(isDraftable), logits, TOLERANCE, `draft logits of round ${i}`);
        assert.deepEqual(round.tokens, expected('draft_ids'), `draft ids of round ${i}`);
        const confidence = round.confidence?.map((logarithm) => -Math.log(Math.expm1(-logarithm))) ?? [];
        assertClose(confidence, expected('confidence_logits'), TOLERANCE, `confidence logits of round ${i}`);
      }
    });
  });
}
