// The logits of all rows of a proposal; the rows of a chain follow the most probable drafts.
import type { ProposedChain, ProposedLogits } from '../../server/models/drafters/drafter';
import * as mx from '../../server/models/mlx/ops';

/** Returns logits [1, rows, vocabSize]; call inside a scope. */
export function proposedLogits(proposal: ProposedLogits | ProposedChain): mx.MxArray {
  if ('logits' in proposal) return proposal.logits;
  const rows: mx.MxArray[] = [];
  proposal.draft((logits) => {
    rows.push(logits);
    return mx.reshape(mx.argmax(logits), -1);
  });
  return mx.concatenate(rows, 1);
}
