// Makes one draft: a drafter proposes, and the request's sampler picks the tokens. The policy decides how long a draft
// is; the target decides which of its tokens stay.
import type { Drafter, DraftState } from '../../models/drafters/drafter';
import { dispose, scope } from '../../models/mlx/memory';
import { evaluate } from '../../models/mlx/evaluation';
import * as mx from '../../models/mlx/ops';
import type { DraftedTokens } from '../sampling/sampler';
import type { RoundStart } from './roundStart';

export interface Draft extends DraftedTokens {
  /** Drafter that was called, even if it found no token; undefined for NO_DRAFT. */
  readonly drafter: Drafter | undefined;
  /** The drafter's confidence in each token, 0 to 1. The policy measures how it relates to acceptance. */
  readonly confidence: readonly number[];
}

export const NO_DRAFT: Draft = { drafter: undefined, tokens: [], confidence: [] };

/**
 * Drafts at most `count` tokens after the uncached ones with `memory.drafters[index]`, and leaves the memory as it was.
 * A drafter that reads hidden states of the target can only draft after a single uncached token. The confidence in a
 * token never depends on the draw of that token, so a policy can choose the length by it ("blind length" in
 * docs/internals/architecture.md).
 */
export async function draftWith(start: RoundStart, index: number, count: number): Promise<Draft> {
  const { memory, uncached, stopwatch } = start;
  const drafter = memory.drafters[index];
  const state = memory.draftStates[index];
  if (drafter === undefined || state === undefined || count <= 0) return NO_DRAFT;
  if (uncached.length > 1 && drafter.taps.length > 0) return NO_DRAFT;
  const proposal = scope(() => {
    const proposed = propose(state, start, count);
    stopwatch.endBuild();
    return proposed;
  });
  if (!('picked' in proposal)) return { drafter, ...proposal };
  await evaluate(proposal, state.arrays());
  try {
    const { logConfidence = numbersOf(proposal.logConfidence), ...drafted } = proposal.picked.read();
    return { drafter, ...drafted, confidence: logConfidence.map(Math.exp) };
  } finally {
    dispose(proposal);
  }
}

/** Keeps the first `length` tokens. The distributions of later tokens stay in the draft, but nothing reads them. */
export function truncateDraft(draft: Draft, length: number): Draft {
  return { ...draft, tokens: draft.tokens.slice(0, length), confidence: draft.confidence.slice(0, length) };
}

/** Cuts the draft at its first token below `threshold` confidence (DSpark's rule). */
export function cutUnsureTokens(draft: Draft, threshold = 0): Draft {
  const firstUnsure = draft.confidence.findIndex((confidence) => confidence < threshold);
  return firstUnsure < 0 ? draft : truncateDraft(draft, firstUnsure);
}

/** Builds the graph of a draft, and leaves `state` at its offset. */
function propose(state: DraftState, start: RoundStart, count: number) {
  const { uncached, sampler, context, promptLookupIds } = start;
  const offset = state.offset;
  if (uncached.length > 1) state.commit(uncached.slice(0, -1), undefined);
  const proposed = state.propose(uncached.at(-1) ?? 0, count, promptLookupIds);
  state.trimTo(offset);
  if ('tokens' in proposed) return proposed;
  const picked = sampler.sample(proposed, context);
  // A ProposedChain and a Selector yield confidences of their own, which saves a sum over the vocabulary.
  const needsConfidence = 'logits' in proposed && !proposed.selector;
  return {
    picked,
    logConfidence: needsConfidence ? mx.reshape(mx.topLogProbability(proposed.logits), -1) : undefined,
  };
}

function numbersOf(array: mx.MxArray | undefined): readonly number[] {
  return array ? mx.numbers(array) : [];
}
