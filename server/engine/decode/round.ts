// One round of speculative decoding: propose, verify, accept, commit. A policy decides on the draft, the stop criteria
// where the output ends, and the request's sampler how the target verifies a draft.
import { dispose, evaluate, scope } from '../../models/mlx/memory';
import * as mx from '../../models/mlx/ops';
import { tokenArray } from '../../models/mlx/tokenArray';
import type { DecodeChunk } from './decode';
import { sureOnly, shortened, type RoundStart } from './draft';
import type { DraftPolicy } from '../draftLength/policy';
import type { StopCriteria } from '../stopCriteria';
import type { Drafted, Pending, TargetRows } from '../sampling/sampler';

/** Returns the accepted drafts and the target's own next token, as far as the output goes, all of it committed. */
export async function round(
  start: RoundStart,
  policy: DraftPolicy,
  stop: StopCriteria,
): Promise<DecodeChunk> {
  const { uncached, sampler, at, watch } = start;
  // For an unknown prompt the first token comes from prefill, and the same seed has to give the same text here.
  const isFirst = at.position === 0 && sampler.drawsDrafts;
  // The last token of a full round is the target's own, so it needs no draft.
  const { draft: chosen, candidates } = await policy.draft(start, isFirst ? 0 : stop.remaining - 1);
  // After the policy, which must not choose by where this stops: that depends on what was drawn.
  const proposed = sureOnly(chosen, start.confidenceThreshold);
  // Leaving out some randomly drawn drafts would change the distribution.
  const draft = proposed.distributions ? proposed : shortened(proposed, stop.truncate(proposed.tokens));
  const draftMs = watch.lap();

  const verified = await verify(start, draft);
  const { tokenAt, logprobsAt } = rowsOf(verified);
  const { accepted, tokens } = accept(draft.tokens, tokenAt);
  const kept = stop.append(tokens);
  const logprobs = logprobsAt && kept.tokens.map((token, row) => logprobsAt(row, token));
  commit(start, verified, kept.tokens.length);
  const verifyMs = watch.lap();

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
      buildMs: watch.buildMs,
    },
  };
}

interface Verified {
  readonly drafts: readonly number[];
  readonly targetRows: Pending<TargetRows>;
  /** [1, rows, taps · hiddenSize], or undefined when no drafter has taps. */
  readonly taps: mx.MxArray | undefined;
}

/**
 * One pass of the target over the uncached tokens and the drafts, whose rows its caches hold until they are committed.
 */
export async function verify(start: RoundStart, drafted: Drafted): Promise<Verified> {
  const { memory, uncached, sampler, at, watch } = start;
  const { target } = memory;
  const { tokens: drafts } = drafted;
  const verified = scope(() => {
    const rows = uncached.length + drafts.length;
    const block = tokenArray([...uncached, ...drafts], target.config.vocabSize);
    const { hidden, taps } = target.forward(block, memory.caches, memory.taps);
    const verifying = uncached.length > 1 ? mx.slice(hidden, 1, uncached.length - 1, rows) : hidden;
    const targetRows = sampler.verify(target.logits(verifying), drafted, at);
    watch.built();
    return { drafts, targetRows, taps };
  });
  // Also what earlier rounds showed the drafters: it would pile up in a drafter that is never used.
  await evaluate(verified, memory.arrays());
  return verified;
}

/** Throws where the target's numbers are none, and frees what was verified then. */
function rowsOf({ targetRows, taps }: Verified): TargetRows {
  try {
    return targetRows.read();
  } catch (error) {
    dispose(targetRows, taps);
    throw error;
  }
}

/**
 * Keeps what was uncached and the first `kept` - 1 drafts in all memories and forgets the other rows, so that the last
 * kept token becomes the anchor. Frees what was verified.
 */
export function commit(
  { memory, uncached }: Pick<RoundStart, 'memory' | 'uncached'>,
  { drafts, targetRows, taps }: Verified,
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
 * Which drafts stay: those that equal the target's tokens, up to the first that does not; and the target's own next
 * token, a correction, or a bonus when all stayed. `tokenAt` is the token that the output gets in a row if all drafts
 * before it stay: the row's draft, or what takes its place. Called row by row, and no further than needed.
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
