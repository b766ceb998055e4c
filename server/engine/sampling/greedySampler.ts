// The most probable token of the bare logits, chosen on the device: only its id is read. Where a drafter has a
// selector, the most probable one behind the draft before it.
import type { Selector } from '../../models/drafter';
import type { MxArray } from '../../models/mlxCore';
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
    const { arrays, read } = bestTokens(logits);
    return {
      arrays,
      read: () => {
        const best = read();
        return acceptMatching(tokens, (row) => best[row] ?? 0);
      },
    };
  },

  pick(logits, _at, selector) {
    if (selector) return selected(logits, selector);
    const { arrays, read } = bestTokens(logits);
    return { arrays, read: () => ({ tokens: read() }) };
  },
};

function bestTokens(logits: MxArray): Pending<readonly number[]> {
  const best = mx.reshape(mx.argmax(logits), -1);
  return { arrays: { best }, read: () => mx.numbers(best) };
}

function selected(logits: MxArray, selector: Selector): Pending<Picked> {
  const wishes = { largest: selector.candidates };
  const rows = rowArrays(logits, [], wishes);
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
