// The chain on a row of which every logit is known: the same as for one that is known in part, without an object for
// each token. Pure arithmetic.
import { certain, distribution, type Distribution } from './distribution';
import { penalised, type Occurrences } from './penalised';
import { truncates, type Sampling } from './sampling';
import { truncate } from './truncate';

/** Undefined when everything is forbidden. */
export function processWholeRow(
  logits: readonly number[],
  counts: Occurrences,
  sampling: Sampling,
): Distribution | undefined {
  const scores = Float64Array.from(logits);
  for (const [token, count] of counts) scores[token] = penalised(scores[token] ?? 0, count, sampling);
  for (const token of sampling.forbiddenTokens) scores[token] = -Infinity;
  const best = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  if (best === -Infinity) return undefined;
  if (sampling.temperature === 0) return certain(scores.indexOf(best));
  const tokens = truncates(sampling) ? passing(scores, sampling) : logits.map((_, token) => token);
  const weights = tokens.map((token) => Math.exp(((scores[token] ?? 0) - best) / sampling.temperature));
  return distribution(tokens, weights);
}

/** The tokens that pass in the order of their ids, which is also who comes first among equal ones. */
function passing(scores: Float64Array, sampling: Sampling): number[] {
  const falling = scores.toSorted().reverse();
  const best = falling[0] ?? 0;
  const total = (): number => falling.reduce((sum, score) => sum + Math.exp(score - best), 0);
  const count = truncate(falling, true, total, sampling)?.count ?? falling.length;
  const least = falling[Math.min(count, falling.length) - 1] ?? 0;
  let equals = count - falling.findIndex((score) => score === least);
  const tokens: number[] = [];
  for (const [token, score] of scores.entries()) {
    if (score > least || (score === least && equals-- > 0)) tokens.push(token);
  }
  return tokens;
}
