// Tests that speculation changes nothing but the number of passes, for every kind of cache: real networks verify and
// roll back, with drafters that are right always, never or sometimes, and cancelled decodes leave nothing behind.
import assert from 'node:assert/strict';
import { noDrafter } from '../../support/noDrafter';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../support/loadModels';
import type { TargetModel } from '../../../server/models/decoder/target';
import { checkedDecode, newSession } from '../../support/checkedDecode';
import { testDevice } from '../../support/testDevice';
import { fullSize } from '../../support/fullSize';
import { OracleDrafter } from '../../support/oracleDrafter';
import { assertSameText, plainText, type PlainText } from '../../support/plainText';
import { seededIntegers } from '../../support/seededRandom';
import { CONTRACT_FAMILIES } from '../../support/targetFamilies';

const PROMPT_TOKENS = 40;
const MAX_TOKENS = 64;
/** Tokens of a block, how often an oracle drafts the target's tokens, and the number of its right drafts by round. */
const ALL_BLOCKS = [
  [16, 'sometimes right', seededIntegers(16, 40, 0, 15)],
  [2, 'sometimes right', seededIntegers(2, 40, 0, 1)],
  [8, 'always right', [7]],
  [16, 'never right', [0]],
] as const;
/** Outside nightly runs, only the block with most accepted and most rejected drafts. */
const BLOCKS = fullSize ? ALL_BLOCKS : ALL_BLOCKS.slice(0, 1);

for (const { name, directory } of CONTRACT_FAMILIES) {
  describe(`speculation with ${name}`, () => {
    let target: TargetModel;
    let text: PlainText;
    before(async () => {
      target = await loadTarget(directory, testDevice);
      text = await plainText(target, PROMPT_TOKENS, MAX_TOKENS);
    });
    after(() => target.dispose());

    for (const [block, oracle, right] of BLOCKS)
      it(`yields the plain output with blocks of ${block} that are ${oracle}`, async () => {
        const { request, tokens } = text;
        // The drafter is never called beyond the end of the text.
        const drafter = new OracleDrafter({ tokens, block, right }, noDrafter);
        const { tokenIds, stats } = await checkedDecode({ target, drafter }, request);
        assertSameText(tokenIds, text);
        assert.ok(stats.draftedTokens > 0);
        assert.equal(
          stats.acceptedTokens > 0,
          right.some((count) => count > 0),
        );
      });

    it('frees all arrays of a decode that stops after one or three chunks', async () => {
      const { request, tokens } = text;
      const arraysBefore = liveArrays();
      for (const count of [1, 3]) {
        const right = seededIntegers(count, 40, 0, 7);
        const session = newSession(
          { target, drafter: new OracleDrafter({ tokens, block: 8, right }, noDrafter) },
          request,
        );
        let chunks = 0;
        for await (const { tokens: given } of session) {
          assert.ok(given.length > 0);
          if (++chunks === count) break;
        }
        assert.equal(session.result.finishReason, 'abandoned');
        assert.equal(liveArrays(), arraysBefore, `arrays after ${count} chunks`);
      }
      assertSameText((await checkedDecode({ target }, request)).tokenIds, text);
    });
  });
}
