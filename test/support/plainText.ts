// A text that a target writes without drafts and without near-ties. Kernels for one row and for several round
// differently, which can decide a near-tie, so a text with one would prove nothing.
import assert from 'node:assert/strict';
import { nearTieGap } from '../../server/rules/nearTieGap';
import type { TargetModel } from '../../server/models/decoder/target';
import { checkedDecode, type CheckedRequest } from './checkedDecode';
import { seededIntegers } from './seededRandom';
import { runWhole } from './tokenRun';
import { topTwoGaps } from './topTwoGaps';

/** Maximum number of prompts to try. */
const SEEDS = 30;

export interface PlainText {
  readonly request: CheckedRequest;
  readonly output: readonly number[];
  /** Tokens of the prompt and the output. */
  readonly tokens: readonly number[];
  /** Difference of the two largest logits at each output token. */
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
    const request = { promptIds, maxTokens };
    const { tokenIds: output } = await checkedDecode({ target }, request);
    const tokens = [...promptIds, ...output];
    const gaps = topTwoGaps(runWhole(target, tokens).logits, vocabSize);
    const margins = gaps.slice(promptTokens - 1, -1);
    if (output.length === maxTokens && Math.min(...margins) >= nearTieGap('float32'))
      return { request, output, tokens, margins };
  }
  return assert.fail(`The texts after all ${SEEDS} prompts end early or have near-ties`);
}

/** Asserts that the output equals the text. The message has the first difference and how close the decision was. */
export function assertSameText(tokenIds: readonly number[], { output, margins }: PlainText): void {
  const at = output.findIndex((token, i) => token !== tokenIds[i]);
  assert.deepEqual(tokenIds, output, `token ${at} differs, margin ${margins[at]}`);
}
