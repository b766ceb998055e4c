// The logits of all rows of a proposal, where they depend on the drafts before them behind the most probable ones.
import type { ProposedChain, ProposedLogits } from '../../server/models/drafters/drafter';
import * as mx from '../../server/models/mlx/ops';

/** [1, rows, vocabSize]. To be called inside a scope. */
export function proposedLogits(proposal: ProposedLogits | ProposedChain): mx.MxArray {
  if ('logits' in proposal) return proposal.logits;
  const rows: mx.MxArray[] = [];
  proposal.draft((logits) => {
    rows.push(logits);
    return mx.reshape(mx.argmax(logits), -1);
  });
  return mx.concatenate(rows, 1);
}
