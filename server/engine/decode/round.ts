// One round of speculative decoding: draft, verify, accept, commit. The policy decides how much to draft, the request's
// sampler how the target judges a draft, and the stop criteria where the output ends.
import { dispose, scope } from '../../models/mlx/memory';
import { evaluate } from '../../models/mlx/evaluation';
import * as mx from '../../models/mlx/ops';
import { tokenArray } from '../../models/mlx/tokenArray';
import type { DraftPolicy } from '../draftLength/policy';
import type { DraftedTokens, Pending, TargetRows } from '../sampling/sampler';
import type { Round } from '../request/stats';
import type { StopCriteria } from '../stopCriteria';
import type { DecodeChunk } from './decode';
import { cutUnsureTokens, truncateDraft } from './draft';
import type { RoundStart } from './roundStart';

/** Returns the accepted drafts and the target's own next token, up to the end of the output. All are committed. */
export async function runRound(
  start: RoundStart,
  policy: DraftPolicy,
  stop: StopCriteria,
): Promise<DecodeChunk & { readonly round: Round }> {
  const { uncached, sampler, context, stopwatch } = start;
  // With a cached prompt, this round draws the first token, otherwise prefill does. Draft nothing here, so that a seed
  // gives the same text in both cases.
  const isFirstDraw = context.position === 0 && sampler.drawsDrafts;
  // The last token of a full round is the target's own and needs no draft.
  const { draft: chosen, candidates } = await policy.draft(start, isFirstDraw ? 0 : stop.remaining - 1);
  // Cut only after the policy has chosen: the confidences can depend on random draws, to which it must stay blind.
  const sure = cutUnsureTokens(chosen, start.confidenceThreshold);
  // Drawn drafts are verified past the end too: to drop a draft because of its own token would change the distribution.
  const draft = sure.distributions ? sure : truncateDraft(sure, stop.countUseful(sure.tokens));
  const draftMs = stopwatch.lap();

  const verified = await verify(start, draft);
  const { accepted, tokens, kept, logprobs } = acceptOrDispose(verified, stop);
  commit(start, verified, kept.tokens.length);
  const verifyMs = stopwatch.lap();

  const isLast = stop.finishReason !== undefined;
  const rows = uncached.length + draft.tokens.length;
  policy.observe({ candidates, rows, draft, accepted, tokens, isLast, draftMs, verifyMs });
  return {
    ...kept,
    ...(logprobs && { logprobs }),
    round: {
      source: draft.tokens.length > 0 ? draft.drafter?.name : undefined,
      drafted: draft.tokens.length,
      accepted: Math.min(accepted, kept.tokens.length),
      tokens: kept.tokens,
      draftMs,
      verifyMs,
      buildMs: stopwatch.buildMs,
    },
  };
}

interface VerifiedBlock {
  readonly drafts: readonly number[];
  readonly targetRows: Pending<TargetRows>;
  /** [1, rows, taps · hiddenSize], or undefined when no drafter reads any. */
  readonly taps: mx.MxArray | undefined;
}

/** Runs the target once over the uncached tokens and the drafts. Its caches hold all rows until `commit` trims them. */
export async function verify(start: RoundStart, drafted: DraftedTokens): Promise<VerifiedBlock> {
  const { memory, uncached, sampler, context, stopwatch } = start;
  const { target } = memory;
  const { tokens: drafts } = drafted;
  const verified = scope(() => {
    const rows = uncached.length + drafts.length;
    const block = tokenArray([...uncached, ...drafts], target.config.vocabSize);
    const { hidden, taps } = target.forward(block, memory.caches, memory.taps);
    const verifying = uncached.length > 1 ? mx.slice(hidden, 1, uncached.length - 1, rows) : hidden;
    const targetRows = sampler.verify(target.logits(verifying), drafted, context);
    stopwatch.endBuild();
    return { drafts, targetRows, taps };
  });
  // Evaluates the drafters' pending writes too: those of a drafter that never drafts would pile up.
  await evaluate(verified, memory.arrays());
  return verified;
}

/**
 * Accepts drafts and appends the tokens to the output. Frees the block if that throws: ModelFault if the target's
 * logits are not finite, RangeError if the request forbids every token.
 */
function acceptOrDispose({ drafts, targetRows, taps }: VerifiedBlock, stop: StopCriteria) {
  try {
    const { tokenAt, logprobsAt } = targetRows.read();
    const { accepted, tokens } = accept(drafts, tokenAt);
    const kept = stop.append(tokens);
    const logprobs = logprobsAt && kept.tokens.map((token, row) => logprobsAt(row, token));
    return { accepted, tokens, kept, logprobs };
  } catch (error) {
    dispose(targetRows, taps);
    throw error;
  }
}

/**
 * Keeps the uncached tokens and the first `kept` - 1 drafts in all memories, so that the last kept token becomes the
 * anchor, and forgets the other rows. Frees the block.
 */
export function commit(
  { memory, uncached }: RoundStart,
  { drafts, targetRows, taps }: VerifiedBlock,
  kept: number,
): void {
  const rows = [...uncached, ...drafts].slice(0, uncached.length - 1 + kept);
  for (const cache of memory.caches)
    cache.trimTo(cache.offset - uncached.length - drafts.length + rows.length);
  scope((): undefined => {
    memory.commit(rows, taps && mx.slice(taps, 1, 0, rows.length));
  });
  dispose(targetRows, taps);
}

/**
 * Accepts drafts up to the first that differs from the target's token and returns them with that token: a correction,
 * or a bonus if all drafts were accepted. `tokenAt` gives the output's token in a row, provided that all drafts before
 * it were accepted; it is called row by row and no further than needed.
 */
export function accept(drafts: readonly number[], tokenAt: (row: number) => number) {
  const tokens: number[] = [];
  for (let row = 0; row <= drafts.length; row++) {
    const token = tokenAt(row);
    tokens.push(token);
    if (token !== drafts[row]) break;
  }
  return { accepted: tokens.length - 1, tokens };
}
