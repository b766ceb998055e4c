// The candidate selector of DFlash 2: scores pairs of neighbouring drafts. The rows of a block do not see each other's drafts,
// so two that are each likely might not go together.
import type { Weights } from '../../checkpoint/weights';
import type { Embedding } from '../../decoder/linear';
import type { TargetConfig } from '../../decoder/target';
import * as mx from '../../mlx/ops';
import { tokenArray } from '../../mlx/tokenArray';
import type { Selector } from '../drafter';
import type { SelectorSizes } from './dflashConfig';

/** Chooses among the drafts of rows with `states`, [1, rows, hidden] after the final norm, that follow `anchor`. */
export type CandidateSelector = (anchor: number, states: mx.MxArray) => Selector;

export function candidateSelector(
  weights: Weights,
  { rank, topK }: SelectorSizes,
  { vocabSize, hiddenSize }: TargetConfig,
): CandidateSelector {
  const path = 'candidate_selector';
  // Features that a token looks for in its successor, and features that it offers its predecessor: [vocabSize, rank].
  const predecessors = weights.embedding(`${path}.predecessor_codebook`, vocabSize, rank);
  const successors = weights.embedding(`${path}.successor_codebook`, vocabSize, rank);
  const hiddenProjection = weights.linear(`${path}.hidden_projection`, rank, hiddenSize);
  /** <predecessor[before] · (W state), successor[token]> */
  const gains = (anchor: number, states: mx.MxArray, ids: mx.MxArray): mx.MxArray => {
    const [rows = 0, count = 0] = ids.shape;
    const anchors = tokenArray(Array<number>(count).fill(anchor), vocabSize);
    const tokens = mx.reshape(mx.astype(ids, mx.int32), -1);
    const before = mx.slice(mx.concatenate([anchors, tokens], 0), 0, 0, rows * count);
    const rowsOf = (table: Embedding, of: mx.MxArray): mx.MxArray =>
      mx.reshape(table.embed(of), rows, count, rank);
    const wanted = mx.reshape(hiddenProjection.forward(states), rows, 1, rank);
    const asked = mx.multiply(rowsOf(predecessors, before), wanted);
    return mx.matmul(asked, mx.transpose(rowsOf(successors, tokens), 0, 2, 1));
  };
  return (anchor, states) => ({ candidates: topK, gains: (ids) => gains(anchor, states, ids) });
}
