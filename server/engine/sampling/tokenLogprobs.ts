// Natural logarithms of probabilities in one row, after the penalties and before anything is cut off.
import { completeRow, type LogitRow } from './logitRow';
import type { Occurrences } from './penalised';
import type { TokenLogprobs } from './sampler';
import type { Sampling } from './sampling';
import { scoreRow, sureOnes, totalWeight, type Candidate } from './scoreRow';

/** Of the chosen token and of the `top` most probable ones. */
export function tokenLogprobs(
  token: number,
  top: number,
  row: LogitRow,
  counts: Occurrences,
  sampling: Sampling,
): TokenLogprobs {
  const scored = scoreRow(row, counts, sampling);
  const sure = sureOnes(scored, row);
  const reference = scored[0]?.logit ?? 0;
  const total = totalWeight(row, scored, reference);
  const isEnough = sure.length >= top && sure.some((candidate) => candidate.token === token);
  if (total === undefined || (!isEnough && row.floor > -Infinity))
    return tokenLogprobs(token, top, completeRow(row), counts, sampling);
  const alternative = ({ token: id, logit }: Candidate) => ({
    token: id,
    logprob: logit - reference - Math.log(total),
  });
  const chosen = scored.find((candidate) => candidate.token === token);
  return {
    ...alternative(chosen ?? { token, logit: -Infinity }),
    top: sure.slice(0, top).map(alternative),
  };
}
