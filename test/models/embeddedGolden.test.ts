// Compares the built-in pair with the PyTorch reference of its training: the output of every layer, the logits of both
// models and the chosen tokens. The fixture has a sample of the vocabulary.
import assert from 'node:assert/strict';
import type { Drafter } from '../../server/models/drafters/drafter';
import { scope } from '../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../support/loadModels';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { assertClose, rowsOf, valuesOf } from '../support/arrayValues';
import { assertContinues } from '../support/assertContinues';
import { assertStates, layerOutputs } from '../support/assertStates';
import { testDevice } from '../support/testDevice';
import { draftRounds } from '../support/draftRounds';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { PAIR_GOLDEN, readGoldenFile, type Golden } from '../support/fixtures';

const TOLERANCE = 2e-3;
/** Distance between the best two logits below which a mismatch is a tie and no error. */
const TIE = 1e-3;
const ROUNDS = [0, 1];

describe('the built-in pair against its golden', () => {
  const golden = readGoldenFile(PAIR_GOLDEN);
  const ofTarget: Golden = (name) => golden(`target.${name}`);
  const ofDrafter: Golden = (name) => golden(`drafter.${name}`);
  const ids = ofTarget('input_ids');
  let target: TargetModel;
  let drafter: Drafter;
  before(async () => {
    target = await loadTarget(EMBEDDED_PAIR.targetDirectory, testDevice);
    drafter = await loadDrafter(EMBEDDED_PAIR.drafterDirectory, target.config, testDevice);
  });
  after(() => {
    drafter.dispose();
    target.dispose();
  });

  /** Number of columns of the vocabulary in the fixture, at equal distances. */
  const columns = ofTarget('logits').length / ids.length;
  const columnOf = (i: number) => (i % columns) * Math.ceil(target.config.vocabSize / columns);

  /** Returns the columns of logits [rows, vocabSize] that the golden has. */
  function kept(logits: readonly number[]): number[] {
    const { vocabSize } = target.config;
    const rows = logits.length / vocabSize;
    const at = (i: number) => Math.floor(i / columns) * vocabSize + columnOf(i);
    return Array.from({ length: rows * columns }, (_, i) => logits[at(i)] ?? NaN);
  }

  it('embeds tokens like the reference', () => {
    const embedded = scope(() => valuesOf(target.embed(tokenArray(ids, target.config.vocabSize))));
    assertClose(embedded, layerOutputs(target, ofTarget, -1), TOLERANCE, 'embeddings');
  });

  for (const sizes of [[16], [1], [5, 1, 10]])
    it(`computes the hidden states and logits of the reference in chunks of ${sizes.join(', ')}`, () => {
      const logits = assertStates(target, ofTarget, sizes, TOLERANCE);
      assertClose(kept(logits), ofTarget('logits'), TOLERANCE, 'logits');
    });

  it('decodes the tokens of the reference greedily, one by one', () => {
    assertContinues(target, ofTarget, TIE);
  });

  it('drafts the hidden states, logits and tokens of the reference in full blocks', () => {
    const { hiddenSize } = target.config;
    assert.deepEqual(ofDrafter('input_ids'), ids);
    const starts = ROUNDS.map((round) => ofDrafter(`r${round}.start`)[0] ?? NaN);
    for (const [round, { hidden, logits, tokens }] of draftRounds(target, drafter, ids, starts).entries()) {
      const what = `of round ${round}`;
      const expectedHidden = rowsOf(ofDrafter(`r${round}.hidden`), hiddenSize, 1, drafter.maxDraftTokens + 1);
      assertClose(hidden, expectedHidden, TOLERANCE, `hidden states ${what}`);
      // The drafter never drafts the mask token; the reference can give it any logit.
      const isPossible = (_: unknown, i: number) => columnOf(i) !== drafter.maskTokenId;
      const expected = ofDrafter(`r${round}.draft_logits`).filter(isPossible);
      assertClose(kept(logits).filter(isPossible), expected, TOLERANCE, `draft logits ${what}`);
      assert.deepEqual(tokens, ofDrafter(`r${round}.draft_ids`), `draft ids ${what}`);
    }
  });
});
