// How close a decision of a model was. Kernels for one row and for several round differently, so a difference
// from the reference is excused where the two best logits are nearly equal, and nowhere else.
import { selectorGains } from '../../server/engine/sampling/greedySampler';
import { readRows } from '../../server/engine/sampling/readRows';
import { gainsAmong } from '../../server/engine/sampling/samplerOf';
import type { Pending } from '../../server/engine/sampling/sampler';
import { dispose, scope, evaluateAsync } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import type { Drafter, ProposedLogits } from '../../server/models/drafters/drafter';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { valuesOf } from './arrayValues';
import { topTwoGaps } from './topTwoGaps';

export interface Gaps {
  /** Between the two best tokens of the target after `committed`. */
  readonly target: number;
  /** Between the two best tokens for each draft that follows `committed`. */
  readonly drafts: readonly number[];
}

/** `following` are the tokens behind `committed`, which the drafts of a selector follow as far as they are right. */
export async function gapsAfter(
  target: TargetModel,
  drafter: Drafter,
  committed: readonly number[],
  following: readonly number[] = [],
): Promise<Gaps> {
  const rows = committed.length - 1;
  const caches = target.newCaches(rows + 1);
  const draft = drafter.newState(target, rows);
  const { vocabSize } = target.config;
  const pending = scope(() => {
    const { hidden, taps } = target.forward(tokenArray(committed, vocabSize), caches, drafter.taps);
    draft.commit(committed.slice(0, -1), taps && mx.slice(taps, 1, 0, rows));
    const proposal = draft.propose(committed[rows] ?? 0, drafter.maxDraftTokens);
    const last = target.logits(mx.slice(hidden, 1, rows, rows + 1));
    return { target: last, drafts: 'logits' in proposal ? draftGaps(proposal, following) : undefined };
  });
  await evaluateAsync(pending);
  const [best = NaN] = topTwoGaps(valuesOf(pending.target), vocabSize);
  const result = { target: best, drafts: pending.drafts?.read() ?? [] };
  dispose(pending);
  for (const cache of caches) cache.dispose();
  draft.dispose();
  return result;
}

/** Lazy. With what the tokens of each row gain behind the one before it, where the drafter has a selector. */
function draftGaps(proposed: ProposedLogits, following: readonly number[]): Pending<readonly number[]> {
  const { selector } = proposed;
  const rows = readRows(proposed.logits, { largest: selector?.candidates ?? 2 });
  const { ids } = rows.arrays;
  const gains = selector && selectorGains(selector, ids);
  const read = (): number[] => {
    const gainsOf = gains && gainsAmong(mx.rows(ids), valuesOf(gains));
    return rows.read().flatMap(({ tokens, logits }, i) => {
      const gained = gainsOf?.(i, following);
      return topTwoGaps(
        logits.map((logit, place) => logit + (gained?.get(tokens[place] ?? -1) ?? 0)),
        logits.length,
      );
    });
  };
  return { arrays: { ...rows.arrays, gains }, read };
}
