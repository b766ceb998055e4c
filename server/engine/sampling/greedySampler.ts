// The most probable token of the bare logits, chosen on the device: only its id is read. Where a drafter has a
// selector, the most probable one behind the draft before it.
import type { ProposedLogits, Selector } from '../../models/drafter';
import * as mx from '../../models/ops';
import { acceptMatching } from '../accept';
import { candidateSureness } from './candidateSureness';
import { gainArray, gained, readGains } from './gains';
import type { LogitRow } from './logitRow';
import { readRows, rowArrays, scopedRows } from './readRows';
import type { Pending, Picked, Sampler } from './sampler';

export const greedySampler: Sampler = {
  drawsDrafts: false,

  judge(logits, { tokens }) {
    const { arrays, read } = bestTokens({ logits });
    return {
      arrays,
      read: () => {
        const best = read();
        return acceptMatching(tokens, (row) => best[row] ?? 0);
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
  const wishes = { largest: selector.candidates };
  const rows = rowArrays(proposed, [], wishes);
  const arrays = { ...rows, gains: gainArray(selector, rows.ids) };
  const read = (): Picked => {
    const gains = readGains(scopedRows(rows.ids), arrays.gains);
    const tokens: number[] = [];
    for (const [i, row] of readRows(rows, [], wishes).entries())
      tokens.push(mostProbable(gained(row, gains(i, tokens))));
    return { tokens, sureness: candidateSureness(scopedRows(rows.values), selector.candidates) };
  };
  return { arrays, read };
}

/** Of the tokens that are known; the lowest of equal ones. */
function mostProbable({ known }: LogitRow): number {
  const best = Math.max(...known.values());
  return Math.min(...[...known].flatMap(([token, logit]) => (logit === best ? [token] : [])));
}
