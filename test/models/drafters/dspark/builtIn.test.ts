// Compares the trained DSpark drafter of the built-in target with the reference of its training: the drafts of whole
// blocks, and how many of them each round accepts on real files. The golden has a sample of the vocabulary.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../../../../server/engine/engine';
import type { Drafter } from '../../../../server/models/drafters/drafter';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import { draftRounds } from '../../../support/draftRounds';
import { EMBEDDED_PAIR, pairCases } from '../../../support/embeddedPair';
import { DSPARK_BUILT_IN, PAIR_TARGET, readGolden } from '../../../support/fixtures';
import { fullSize } from '../../../support/fullSize';

const TOLERANCE = 2e-3;
const MAX_TOKENS = 64;

describe('the DSpark drafter for the built-in target, against its golden', () => {
  const golden = readGolden(DSPARK_BUILT_IN);
  let target: TargetModel;
  let drafter: Drafter;
  before(async () => {
    target = await loadTarget(PAIR_TARGET, testDevice);
    const { config, tables } = target;
    // The drafter has no tables of its own, so nothing is logged about copies of the target's.
    const onNote = (note: string): void => assert.fail(note);
    drafter = await loadDrafter(DSPARK_BUILT_IN, config, testDevice, { tables, onNote });
  });
  after(() => {
    drafter.dispose();
    target.dispose();
  });

  it('drafts the hidden states, logits, tokens and confidence of whole blocks', () => {
    const { vocabSize } = target.config;
    const stride = vocabSize / (golden('r0.base_logits').length / drafter.maxDraftTokens);
    const isSampled = (_: number, i: number) => i % stride === 0;
    const starts = [0, 1].map((round) => golden(`r${round}.start`)[0] ?? NaN);
    for (const [i, round] of draftRounds(target, drafter, golden('input_ids'), starts).entries()) {
      const assertMatches = (values: readonly number[] | undefined, what: string): void =>
        assertClose(values ?? [], golden(`r${i}.${what}`), TOLERANCE, `${what} of round ${i}`);
      assertMatches(round.hidden, 'hidden');
      assertMatches(round.base.filter(isSampled), 'base_logits');
      assertMatches(round.logits.filter(isSampled), 'draft_logits');
      assert.deepEqual(round.tokens, golden(`r${i}.draft_ids`), `draft ids of round ${i}`);
      const confidenceLogits = round.confidence?.map((logarithm) => -Math.log(Math.expm1(-logarithm)));
      assertMatches(confidenceLogits, 'confidence_logits');
    }
  });
});

describe('the built-in target with its DSpark drafter', () => {
  const lengths = JSON.parse(
    readFileSync(join(DSPARK_BUILT_IN, 'acceptance-lengths.json'), 'utf8'),
  ) as readonly (readonly number[])[];
  const cases = pairCases
    .map((pairCase, i) => ({ ...pairCase, lengths: lengths[i] ?? assert.fail() }))
    .sort((a, b) => a.prompt_ids.length - b.prompt_ids.length);
  let engine: Engine;
  before(async () => (engine = await Engine.load({ ...EMBEDDED_PAIR, drafterDirectory: DSPARK_BUILT_IN })));
  after(() => engine.dispose());

  for (const { path, prompt_ids: ids, output_ids: output, lengths: expected } of fullSize
    ? cases
    : cases.slice(0, 1))
    it(`completes ${path} after ${ids.length} tokens like the reference, round by round`, async () => {
      // The limit leaves room for a whole block after the reference's last token.
      const maxTokens = MAX_TOKENS + engine.maxDraftTokens;
      const { tokenIds, acceptanceLengths } = await engine.decode(ids, { maxTokens }).finish();
      assert.deepEqual(tokenIds.slice(0, output.length), output);
      assert.deepEqual(acceptanceLengths.slice(0, expected.length), expected);
    });
});
