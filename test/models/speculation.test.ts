// Speculation changes nothing but the number of passes, for every target family: the networks themselves verify and
// roll back, with drafters that are right always, never or sometimes.
import assert from 'node:assert/strict';
import { NEAR_TIE, topTwoGaps } from '../../server/cli/replay/topTwoGap';
import { noDrafter } from '../../server/models/noDrafter';
import { loadTarget } from '../../server/models/registry';
import type { TargetModel } from '../../server/models/target';
import { checkedDecode, type Wish } from '../support/checkedDecode';
import { cpu } from '../support/cpu';
import { OracleDrafter } from '../support/oracleDrafter';
import { seededIntegers } from '../support/seededRandom';
import { TARGET_FAMILIES } from '../support/targetFamilies';
import { runWhole } from '../support/tokenRun';

const PROMPT_TOKENS = 40;
const MAX_TOKENS = 64;
/** Prompts that may be tried for one whose output is long enough and has no near tie. */
const SEEDS = 30;

interface PlainText {
  readonly wish: Wish;
  readonly output: readonly number[];
  /** Prompt and output. */
  readonly tokens: readonly number[];
  /** Between the two best logits, by output token. */
  readonly margins: readonly number[];
}

for (const { name, directory } of TARGET_FAMILIES) {
  describe(`speculation with ${name}`, () => {
    let target: TargetModel;
    let text: PlainText;
    before(async () => {
      target = await loadTarget(directory, cpu);
      text = await plainText(target);
    });
    after(() => target.dispose());

    for (const block of [2, 8, 16]) {
      const most = block - 1;
      const oracles: readonly (readonly [name: string, right: readonly number[]])[] = [
        ['always right', [most]],
        ['never right', [0]],
        ['sometimes right', seededIntegers(block, 40, 0, most)],
      ];
      for (const [oracle, right] of oracles)
        it(`gives the plain output with blocks of ${block} that are ${oracle}`, async () => {
          const { wish, output, tokens, margins } = text;
          // What it drafts beyond the text is never asked for.
          const drafter = new OracleDrafter({ tokens, block, right }, noDrafter);
          const { tokenIds, stats } = await checkedDecode({ target, drafter }, wish);
          const at = tokenIds.findIndex((token, i) => token !== output[i]);
          assert.deepEqual(tokenIds, output, `token ${at} differs, margin ${margins[at]}`);
          assert.ok(stats.draftedTokens > 0);
          assert.equal(
            stats.acceptedTokens > 0,
            right.some((count) => count > 0),
          );
        });
    }
  });
}

/** Kernels for one row and for several round differently, which may decide a near tie: such a text proves nothing. */
async function plainText(target: TargetModel): Promise<PlainText> {
  const { vocabSize } = target.config;
  for (let seed = 0; seed < SEEDS; seed++) {
    const promptIds = seededIntegers(100 + seed, PROMPT_TOKENS, 3, vocabSize - 1);
    const wish = { promptIds, maxTokens: MAX_TOKENS };
    const { tokenIds: output } = await checkedDecode({ target }, wish);
    const tokens = [...promptIds, ...output];
    const gaps = topTwoGaps(runWhole(target, tokens).logits, vocabSize);
    const margins = gaps.slice(PROMPT_TOKENS - 1, -1);
    if (output.length === MAX_TOKENS && Math.min(...margins) >= NEAR_TIE)
      return { wish, output, tokens, margins };
  }
  return assert.fail(`Expected one of ${SEEDS} prompts to have no near tie`);
}
