// How close a decision of a model was. Kernels for one row and for several round differently, so a difference
// from the reference is excused where the two best logits are nearly equal, and nowhere else.
import { topTwoGaps } from '../../server/cli/replay/topTwoGap';
import { dispose, scope, settle } from '../../server/models/memory';
import * as mx from '../../server/models/ops';
import type { Drafter } from '../../server/models/drafter';
import type { TargetModel } from '../../server/models/target';
import { tokenArray } from '../../server/models/tokenArray';
import { valuesOf } from './arrayValues';
import { withHead } from './headRecorder';

export interface Gaps {
  /** Between the two best tokens of the target after `committed`. */
  readonly target: number;
  /** Between the two best tokens of the whole vocabulary for each draft that follows `committed`. */
  readonly drafts: readonly number[];
}

export async function gapsAfter(
  target: TargetModel,
  drafter: Drafter,
  committed: readonly number[],
): Promise<Gaps> {
  const rows = committed.length - 1;
  const caches = target.newCaches(rows + 1);
  const draft = drafter.newState(withHead(target), rows);
  const { vocabSize } = target.config;
  const logits = scope(() => {
    const { hidden, taps } = target.forward(tokenArray(committed, vocabSize), caches, drafter.taps);
    draft.commit(committed.slice(0, -1), taps && mx.slice(taps, 1, 0, rows));
    const proposal = draft.propose(committed[rows] ?? 0, drafter.maxDraftTokens);
    const last = target.logits(mx.slice(hidden, 1, rows, rows + 1));
    return { target: last, drafts: 'logits' in proposal ? proposal.logits : undefined };
  });
  await settle(logits);
  const [best = NaN] = topTwoGaps(valuesOf(logits.target), vocabSize);
  const result = {
    target: best,
    drafts: logits.drafts ? topTwoGaps(valuesOf(logits.drafts), vocabSize) : [],
  };
  dispose(logits);
  for (const cache of caches) cache.dispose();
  draft.dispose();
  return result;
}
