// The most probable token of the bare logits, chosen on the device: only its id is read. With a selector, the most
// probable one after the previous draft.
import type { ProposedChain, ProposedLogits, Selector } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';
import { readRows, requireFinite } from './readRows';
import type { Drafted, Pending, Sampler, TargetRows } from './sampler';

export const greedySampler: Sampler = {
  drawsDrafts: false,

  verify(logits) {
    const { arrays, read } = bestTokens(logits);
    const values = mx.valuesAt(logits, mx.reshape(arrays.best, 1, -1, 1));
    const largest = mx.reshape(mx.astype(values, mx.float32), -1);
    const rows = () => {
      const best = read();
      requireFinite(mx.numbers(largest));
      return { tokenAt: (row: number) => best[row] ?? 0 };
    };
    return { arrays: { ...arrays, largest }, read: rows };
  },

  sample(proposed) {
    if ('draft' in proposed) return chained(proposed);
    const { selector } = proposed;
    if (selector) return selected(proposed, selector);
    const { arrays, read } = bestTokens(proposed.logits);
    return { arrays, read: () => ({ tokens: read() }) };
  },
};

/** The same, and how probable each of the target's tokens was: in float32, whatever the logits are. */
export const tellingGreedySampler: Sampler = {
  ...greedySampler,

  verify(logits, drafted, at) {
    const best = greedySampler.verify(logits, drafted, at);
    const sure = mx.reshape(mx.topLogProbability(mx.astype(logits, mx.float32)), -1);
    const read = (): TargetRows => {
      const logprobs = mx.numbers(sure);
      const logprobsAt = (row: number, token: number) => ({ token, logprob: logprobs[row] ?? NaN, top: [] });
      return { ...best.read(), logprobsAt };
    };
    return { arrays: { ...best.arrays, sure }, read };
  },
};

/** What the selector adds to the largest logits of each row [rows, n, n], whose `ids` are [rows, n]. Lazy. */
export function selectorGains(selector: Selector, ids: mx.MxArray): mx.MxArray {
  return mx.astype(selector.gains(ids), mx.float32);
}

/**
 * Natural logarithms of the probability [rows] that the best of each row has among the candidates of its selector,
 * whose logits are in `values` [rows, n], perhaps with smaller ones, in any order: a sum over the whole vocabulary
 * costs as much as finding the candidates does. From the bare logits of each row alone: it must not depend on what was
 * drawn in the rows before ("blind length").
 */
export function candidateConfidence({ candidates }: Selector, values: mx.MxArray): number[] {
  return mx.rows(values).map((row) => {
    const [best = 0, ...others] = row.sort((a, b) => b - a).slice(0, candidates);
    return -Math.log(others.reduce((sum, logit) => sum + Math.exp(logit - best), 1));
  });
}

function bestTokens(logits: mx.MxArray) {
  const best = mx.reshape(mx.argmax(logits), -1);
  return { arrays: { best }, read: () => mx.numbers(best) };
}

/** The most probable token of each row behind those of the rows before. */
function chained({ draft }: ProposedChain): Pending<Drafted> {
  const best: mx.MxArray[] = [];
  const logConfidence = draft((logits) => {
    const token = mx.reshape(mx.argmax(logits), -1);
    best.push(token);
    return token;
  });
  const arrays = { best: mx.concatenate(best, 0), logConfidence };
  return {
    arrays,
    read: () => ({ tokens: mx.numbers(arrays.best), logConfidence: mx.numbers(logConfidence) }),
  };
}

function selected(proposed: ProposedLogits, selector: Selector): Pending<Drafted> {
  const { ids, values } = readRows(proposed.logits, { largest: selector.candidates }).arrays;
  const [rows = 0, candidates = 0] = values.shape;
  const scores = mx.add(mx.reshape(values, rows, 1, candidates), selectorGains(selector, ids));
  // For each candidate of the row before, so that far fewer numbers are read than gains are computed.
  const arrays = { ids, values, best: mx.argmax(scores) };
  const read = (): Drafted => ({
    tokens: walk(mx.rows(ids), mx.rows(arrays.best)),
    logConfidence: candidateConfidence(selector, values),
  });
  return { arrays, read };
}

/** The drafts among the candidates `ids` [rows, n], where `best` [rows, n] is which of them follows which. */
function walk(ids: readonly (readonly number[])[], best: readonly (readonly number[])[]): number[] {
  let before = 0;
  return ids.map((candidates, row) => {
    before = best[row]?.[before] ?? 0;
    return candidates[before] ?? 0;
  });
}
