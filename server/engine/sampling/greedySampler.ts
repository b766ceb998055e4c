// The most probable token of the bare logits, chosen on the device: only its id is read. Where a drafter has a
// selector, the most probable one behind the draft before it.
import type { ProposedLogits, Selector } from '../../models/drafter';
import * as mx from '../../models/ops';
import { candidateConfidence } from './candidateConfidence';
import { gainArray } from './gains';
import { readLargest, rowArrays, type Largest } from './readRows';
import type { Pending, Picked, Sampler } from './sampler';

export const greedySampler: Sampler = {
  drawsDrafts: false,

  judge(logits) {
    const { arrays, read } = bestTokens({ logits });
    return {
      arrays,
      read: () => {
        const best = read();
        return { tokenAt: (row) => best[row] ?? 0 };
      },
    };
  },

  pick(proposed) {
    const { selector } = proposed;
    if (selector) return selected(proposed, selector);
    const { arrays, read } = bestTokens(proposed);
    return { arrays, read: () => ({ tokens: read() }) };
  },
};

function bestTokens({ logits, columns }: ProposedLogits): Pending<readonly number[]> {
  const columnsOfBest = mx.reshape(mx.argmax(logits), -1);
  const best = columns ? columns.tokensAt(columnsOfBest) : columnsOfBest;
  return { arrays: { best }, read: () => mx.numbers(best) };
}

function selected(proposed: ProposedLogits, selector: Selector): Pending<Picked> {
  const { ids, values } = rowArrays(proposed, [], { largest: selector.candidates });
  const [rows = 0, candidates = 0] = values.shape;
  const scores = mx.add(mx.reshape(values, rows, 1, candidates), gainArray(selector, ids));
  // Behind each candidate of the row before, so that far fewer numbers are read than gains are made.
  const arrays = { ids, values, best: mx.argmax(scores) };
  const read = (): Picked => {
    const largest = readLargest(arrays);
    const confidence = candidateConfidence(largest.values, selector.candidates);
    return { tokens: walk(largest.ids, mx.rows(arrays.best)), confidence };
  };
  return { arrays, read };
}

/** The drafts among the candidates `ids` [rows, n], where `best` [rows, n] is which of them follows which. */
function walk(ids: Largest['ids'], best: readonly (readonly number[])[]): number[] {
  let before = 0;
  return ids.map((candidates, row) => {
    before = best[row]?.[before] ?? 0;
    return candidates[before] ?? 0;
  });
}
