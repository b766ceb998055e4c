// Takes the most probable token of the bare logits. The choice is made on the device, so that no row of logits is read
// back.
import type { ProposedChain, ProposedLogits, Selector } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';
import { readLogitRows } from './readLogitRows';
import { requireFinite } from './requireFinite';
import { candidateConfidence, selectorGains } from './selectorCandidates';
import type { DraftedTokens, Pending, Sampler, TargetRows } from './sampler';

export class GreedySampler implements Sampler {
  readonly drawsDrafts = false;

  /** `reportsLogprobs` adds the log-probability of each of the target's tokens, computed in float32. */
  constructor(private readonly reportsLogprobs = false) {}

  verify(logits: mx.MxArray): Pending<TargetRows> {
    const best = mx.reshape(mx.argmax(logits), -1);
    const values = mx.takeAlongAxis(logits, mx.reshape(best, 1, -1, 1));
    const largest = mx.reshape(mx.astype(values, mx.float32), -1);
    const logprobs = this.reportsLogprobs
      ? mx.reshape(mx.topLogProbability(mx.astype(logits, mx.float32)), -1)
      : undefined;
    const read = (): TargetRows => {
      const tokens = mx.numbers(best);
      requireFinite(mx.numbers(largest));
      const tokenAt = (row: number) => tokens[row] ?? 0;
      if (logprobs === undefined) return { tokenAt };
      const rowLogprobs = mx.numbers(logprobs);
      return {
        tokenAt,
        logprobsAt: (row, token) => ({ token, logprob: rowLogprobs[row] ?? NaN, top: [] }),
      };
    };
    return { arrays: { best, largest, logprobs }, read };
  }

  sample(proposed: ProposedLogits | ProposedChain): Pending<DraftedTokens> {
    if ('draft' in proposed) return draftChain(proposed);
    if (proposed.selector) return draftWithSelector(proposed, proposed.selector);
    const best = mx.reshape(mx.argmax(proposed.logits), -1);
    return { arrays: { best }, read: () => ({ tokens: mx.numbers(best) }) };
  }
}

/** Takes the most probable token of each row, which depends on the drafts of the rows before it. */
function draftChain({ draft }: ProposedChain): Pending<DraftedTokens> {
  const tokens: mx.MxArray[] = [];
  const logConfidence = draft((logits) => {
    const token = mx.reshape(mx.argmax(logits), -1);
    tokens.push(token);
    return token;
  });
  const arrays = { best: mx.concatenate(tokens, 0), logConfidence };
  return {
    arrays,
    read: () => ({ tokens: mx.numbers(arrays.best), logConfidence: mx.numbers(logConfidence) }),
  };
}

/** Takes the candidate of each row that scores best after the draft of the row before. */
function draftWithSelector(proposed: ProposedLogits, selector: Selector): Pending<DraftedTokens> {
  const { ids, values } = readLogitRows(proposed.logits, { largest: selector.candidates }).arrays;
  const [rows = 0, candidates = 0] = values.shape;
  const scores = mx.add(mx.reshape(values, rows, 1, candidates), selectorGains(selector, ids));
  // The best candidate after each candidate of the row before: far fewer numbers to read than scores.
  const arrays = { ids, values, best: mx.argmax(scores) };
  const read = (): DraftedTokens => ({
    tokens: followBest(mx.rows(ids), mx.rows(arrays.best)),
    logConfidence: candidateConfidence(selector, values),
  });
  return { arrays, read };
}

/** Follows the best successors through the rows; `best` [rows, n] indexes the candidates `ids` [rows, n]. */
function followBest(ids: readonly (readonly number[])[], best: readonly (readonly number[])[]): number[] {
  let previous = 0;
  return ids.map((candidates, row) => {
    previous = best[row]?.[previous] ?? 0;
    return candidates[previous] ?? 0;
  });
}
