// The candidate selector of DFlash2 drafters (speculative-decoding.md B.9). The rows of a block do not see each other's
// drafts, so two that are likely by themselves may not go together: it says which of them do.
import type { Selector } from '../drafter';
import type { Embedding, Linear } from '../linear';
import * as mx from '../ops';
import { tokenArray } from '../tokenArray';
import type { Weights } from '../weights';

export interface SelectorSizes {
  /** Width of the tables. */
  readonly rank: number;
  /** Candidates of a row that it chooses from. */
  readonly topK: number;
}

export class CandidateSelector {
  private constructor(
    readonly sizes: SelectorSizes,
    private readonly vocabSize: number,
    /** What each token asks of the one behind it, [vocabSize, rank]. */
    private readonly predecessors: Embedding,
    /** What each token has for the one before it, [vocabSize, rank]. */
    private readonly successors: Embedding,
    private readonly hiddenProjection: Linear,
  ) {}

  static load(
    weights: Weights,
    sizes: SelectorSizes,
    { vocabSize, hiddenSize }: { readonly vocabSize: number; readonly hiddenSize: number },
  ): CandidateSelector {
    const path = 'candidate_selector';
    return new CandidateSelector(
      sizes,
      vocabSize,
      weights.embedding(`${path}.predecessor_codebook`, vocabSize, sizes.rank),
      weights.embedding(`${path}.successor_codebook`, vocabSize, sizes.rank),
      weights.linear(`${path}.hidden_projection`, sizes.rank, hiddenSize),
    );
  }

  /** Chooses among the drafts of rows with these states, [1, rows, hidden] after the final norm, behind `anchor`. */
  behind(anchor: number, states: mx.MxArray): Selector {
    return { candidates: this.sizes.topK, gains: (ids) => this.#gains(anchor, states, ids) };
  }

  /** <predecessor[before] · (W state), successor[token]> */
  #gains(anchor: number, states: mx.MxArray, ids: mx.MxArray): mx.MxArray {
    const [rows = 0, count = 0] = ids.shape;
    const anchors = tokenArray(Array<number>(count).fill(anchor), this.vocabSize);
    const tokens = mx.reshape(mx.astype(ids, mx.int32), -1);
    const before = mx.slice(mx.concatenate([anchors, tokens], 0), 0, 0, rows * count);
    const rowsOf = (table: Embedding, of: mx.MxArray): mx.MxArray =>
      mx.reshape(table.embed(of), rows, count, this.sizes.rank);
    const wanted = mx.reshape(this.hiddenProjection.forward(states), rows, 1, this.sizes.rank);
    const asked = mx.multiply(rowsOf(this.predecessors, before), wanted);
    return mx.matmul(asked, mx.transpose(rowsOf(this.successors, tokens), 0, 2, 1));
  }
}
