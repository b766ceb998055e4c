// A text that a target writes without drafts, and whose every token it prefers clearly.
// Kernels for one row and for several round differently, which may decide a near tie: such a text would prove nothing.
import assert from 'node:assert/strict';
import { nearTieGap } from '../../server/rules/nearTieGap';
import type { TargetModel } from '../../server/models/decoder/target';
import { checkedDecode, type Wish } from './checkedDecode';
import { seededIntegers } from './seededRandom';
import { runWhole } from './tokenRun';
import { topTwoGaps } from './topTwoGaps';

/** Prompts that may be tried. */
const SEEDS = 30;

export interface PlainText {
  readonly wish: Wish;
  readonly output: readonly number[];
  /** Prompt and output. */
  readonly tokens: readonly number[];
  /** Between the two best logits, by output token. */
  readonly margins: readonly number[];
}

export async function plainText(
  target: TargetModel,
  promptTokens: number,
  maxTokens: number,
): Promise<PlainText> {
  const { vocabSize } = target.config;
  for (let seed = 0; seed < SEEDS; seed++) {
    const promptIds = seededIntegers(100 + seed, promptTokens, 3, vocabSize - 1);
    const wish = { promptIds, maxTokens };
    const { tokenIds: output } = await checkedDecode({ target }, wish);
    const tokens = [...promptIds, ...output];
    const gaps = topTwoGaps(runWhole(target, tokens).logits, vocabSize);
    const margins = gaps.slice(promptTokens - 1, -1);
    if (output.length === maxTokens && Math.min(...margins) >= nearTieGap('float32'))
      return { wish, output, tokens, margins };
  }
  return assert.fail(`Expected one of ${SEEDS} prompts to have no near tie`);
}

/** Says where, and how close a decision it was. */
export function assertSameText(tokenIds: readonly number[], { output, margins }: PlainText): void {
  const at = output.findIndex((token, i) => token !== tokenIds[i]);
  assert.deepEqual(tokenIds, output, `token ${at} differs, margin ${margins[at]}`);
}
