// The candidate selector of DFlash 2: scores pairs of neighbouring drafts. The rows of a block do not see each other's
// drafts, so two that are each probable can still make no sense together.
import type { Weights } from '../../checkpoint/weights';
import type { Embedding } from '../../mlx/linear';
import type { TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import { tokenArray } from '../../mlx/tokenArray';
import type { Selector } from '../drafter';
import type { SelectorSizes } from './dflashConfig';

/** Creates the selector for rows after `anchor` with `states` [1, rows, hidden] after the final norm. */
export type CandidateSelector = (anchor: number, states: mx.MxArray) => Selector;

/** Loads the selector: two tables [vocabSize, rank] and a projection [rank, hidden]. */
export function candidateSelector(
  weights: Weights,
  { rank, topK }: SelectorSizes,
  { vocabSize, hiddenSize }: TargetConfig,
): CandidateSelector {
  const path = 'candidate_selector';
  // Features that a token expects of its successor, and features that it offers to its predecessor: [vocabSize, rank].
  const predecessors = weights.embedding(`${path}.predecessor_codebook`, vocabSize, rank);
  const successors = weights.embedding(`${path}.successor_codebook`, vocabSize, rank);
  const hiddenProjection = weights.linear(`${path}.hidden_projection`, rank, hiddenSize);
  /** Computes <predecessor[previous] · (W state), successor[token]>. */
  const gains = (anchor: number, states: mx.MxArray, ids: mx.MxArray): mx.MxArray => {
    const [rows = 0, count = 0] = ids.shape;
    const anchors = tokenArray(Array<number>(count).fill(anchor), vocabSize);
    const tokens = mx.reshape(mx.astype(ids, mx.int32), -1);
    const previous = mx.slice(mx.concatenate([anchors, tokens], 0), 0, 0, rows * count);
    const features = (table: Embedding, tokenIds: mx.MxArray): mx.MxArray =>
      mx.reshape(table.embed(tokenIds), rows, count, rank);
    const context = mx.reshape(hiddenProjection.forward(states), rows, 1, rank);
    const expected = mx.multiply(features(predecessors, previous), context);
    return mx.matmul(expected, mx.transpose(features(successors, tokens), 0, 2, 1));
  };
  return (anchor, states) => ({ candidates: topK, gains: (ids) => gains(anchor, states, ids) });
}
