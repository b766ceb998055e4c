// The chain from a row of logits to the distribution of its token, in mlx-lm's order: bias, penalties, forbidden
// tokens, top-p, min-p, top-k, and temperature last. It needs only the known part of a row, and reads the rest from the
// device where that is not enough.
import { largestOf } from '../../rules/extremes';
import { certain, distribution, type Distribution } from './distribution';
import type { LogitRow } from './readLogitRows';
import type { TokenLogprobs } from './sampler';
import { truncates, type Sampling } from '../request/sampling';

/**
 * Share of the row's total before penalties that the known tokens must still have after them: with less, the weight
 * computed for the unknown tokens is mostly rounding.
 */
const MIN_TRUSTED_SHARE = 1e-2;

/** Counts of the tokens in the penalty window. */
type Occurrences = ReadonlyMap<number, number>;

/** Counts tokens in the penalty window at the end of `history` followed by `drafts`. */
export function occurrences(
  { penaltyWindow }: Sampling,
  history: readonly number[],
  drafts: readonly number[] = [],
): Occurrences {
  const start = Math.max(0, history.length + drafts.length - penaltyWindow);
  const window = [...history.slice(start), ...drafts.slice(Math.max(0, start - history.length))];
  const counts = new Map<number, number>();
  for (const token of window) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/**
 * Returns the distribution of the next token, listed in the order of the ids, which also decides between equal logits.
 * `row` must know every token that occurs in the window, has a bias or is forbidden. Throws RangeError when every token
 * is forbidden.
 */
export function processRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  const processed = processKnown(row, counts, sampling);
  if (processed) return processed;
  if (row.floor === -Infinity) throw new RangeError('All tokens are forbidden. Allow at least one.');
  return processRow(completeRow(row), counts, sampling);
}

/** Returns log-probabilities of `token` and of the most probable tokens, after penalties and before truncation. */
export function tokenLogprobs(
  token: number,
  row: LogitRow,
  counts: Occurrences,
  sampling: Sampling,
): TokenLogprobs {
  const { logprobs: count = 0 } = sampling;
  const scores = scoreRow(row, counts, sampling);
  const best = largestOf(scores);
  const total = totalWeight(row, scores, best);
  const falling = fallingAbove(scores, row.floor);
  const score = scores[sortedIndexOf(row.tokens, token)];
  const isEnough = falling.length >= count && score !== undefined;
  if (total === undefined || (!isEnough && row.floor > -Infinity))
    return tokenLogprobs(token, completeRow(row), counts, sampling);
  const logprobOf = (value: number): number => value - best - Math.log(total);
  const top = indicesOfFirst(scores, falling, Math.min(count, falling.length))
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .map((index) => ({ token: row.tokens[index] ?? 0, logprob: logprobOf(scores[index] ?? 0) }));
  return { token, logprob: logprobOf(score ?? -Infinity), top };
}

/** Computes the distribution from the known tokens; returns undefined if it depends on unknown ones. */
function processKnown(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution | undefined {
  const { temperature } = sampling;
  const scores = scoreRow(row, counts, sampling);
  const best = largestOf(scores);
  if (best <= row.floor) return undefined;
  if (temperature === 0) return certain(row.tokens[scores.indexOf(best)] ?? 0);
  const isTruncated = truncates(sampling);
  const indices = isTruncated
    ? indicesAfterTruncation(row, scores, sampling)
    : indicesFrom(scores, -Infinity, 0);
  const rest = isTruncated ? 0 : unknownWeight(row, scores, best, temperature);
  if (indices === undefined || rest === undefined) return undefined;
  return distribution(
    indices.map((index) => row.tokens[index] ?? 0),
    indices.map((index) => Math.exp(((scores[index] ?? 0) - best) / temperature)),
    { weight: rest, listAll: () => processRow(completeRow(row), counts, sampling) },
  );
}

function completeRow({ readAll }: LogitRow): LogitRow {
  const logits = readAll();
  const tokens = logits.map((_, token) => token);
  return { tokens, logits, unknownCount: 0, floor: -Infinity, logTotals: new Map(), readAll };
}

/** Returns the known tokens' logits after bias and penalties; -Infinity for forbidden ones. */
function scoreRow({ tokens, logits }: LogitRow, counts: Occurrences, sampling: Sampling): Float64Array {
  const { forbiddenTokens, logitBias, repetitionPenalty, presencePenalty, frequencyPenalty } = sampling;
  const scores = Float64Array.from(logits);
  const change = (token: number, to: (logit: number) => number): void => {
    const index = sortedIndexOf(tokens, token);
    if (index >= 0) scores[index] = to(scores[index] ?? 0);
  };
  for (const [token, bias] of new Map(logitBias)) change(token, (logit) => logit + bias);
  for (const [token, count] of counts)
    change(token, (logit) => {
      const repeated = logit < 0 ? logit * repetitionPenalty : logit / repetitionPenalty;
      return repeated - presencePenalty - frequencyPenalty * count;
    });
  for (const token of forbiddenTokens) change(token, () => -Infinity);
  return scores;
}

/** Returns the index in an ascending list, or -1. A binary search, as thousands of tokens can have a bias. */
function sortedIndexOf(tokens: readonly number[], token: number): number {
  let from = 0;
  let to = tokens.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tokens[middle] ?? 0) < token) from = middle + 1;
    else to = middle;
  }
  return tokens[from] === token ? from : -1;
}

/**
 * Returns the scores that certainly rank before those of all unknown tokens, in falling order: the scores above the
 * floor. An unknown token can equal the floor and have a lower id, or be more probable than a token that a penalty has
 * moved below it.
 */
function fallingAbove(scores: Float64Array, floor: number): Float64Array {
  return scores
    .filter((score) => score > floor)
    .sort()
    .reverse();
}

/** Returns the indices of the first `count` of the `falling` scores; the lower index wins among equal ones. */
function indicesOfFirst(scores: Float64Array, falling: Float64Array, count: number): number[] {
  const lowest = falling[count - 1] ?? Infinity;
  return indicesFrom(scores, lowest, count - falling.indexOf(lowest));
}

/** Returns the indices, ascending, of the scores above `lowest` and of the first `equalCount` scores that equal it. */
function indicesFrom(scores: Float64Array, lowest: number, equalCount: number): number[] {
  const indices: number[] = [];
  let left = equalCount;
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? 0;
    if (score > lowest || (score === lowest && left-- > 0)) indices.push(index);
  }
  return indices;
}

/** Returns the indices of the scores that pass top-p, min-p and top-k; undefined if that depends on unknown tokens. */
function indicesAfterTruncation(
  row: LogitRow,
  scores: Float64Array,
  sampling: Sampling,
): number[] | undefined {
  const { topP, minP, topK } = sampling;
  const falling = fallingAbove(scores, row.floor);
  const best = falling[0] ?? 0;
  const total = topP < 1 ? totalWeight(row, scores, best) : 0;
  if (total === undefined) return undefined;
  const countUntil = (stops: (score: number) => boolean): number => {
    const index = falling.findIndex(stops);
    return index < 0 ? Infinity : index;
  };
  let reached = 0;
  const completes = (score: number): boolean => (reached += Math.exp(score - best)) >= topP * total;
  const minScore = best + Math.log(minP);
  const count = Math.min(
    row.floor === -Infinity ? falling.length : Infinity,
    topP < 1 ? countUntil(completes) + 1 : Infinity,
    minP > 0 ? countUntil((score) => score < minScore) : Infinity,
    topK > 0 ? topK : Infinity,
  );
  return count <= falling.length ? indicesOfFirst(scores, falling, count) : undefined;
}

/** Returns Σ exp(score - reference) over the whole row; undefined if the unknown tokens' part cannot be computed. */
function totalWeight(row: LogitRow, scores: Float64Array, reference: number): number | undefined {
  const unknown = unknownWeight(row, scores, reference, 1);
  if (unknown === undefined) return undefined;
  return scores.reduce((sum, score) => sum + Math.exp(score - reference), unknown);
}

/**
 * Returns Σ exp((logit - reference) / temperature) over the unknown tokens, from the row's total at that temperature.
 * Undefined if that total was not requested, or if penalties remove so much of it that the difference is unreliable.
 */
function unknownWeight(
  { logits, unknownCount, floor, logTotals }: LogitRow,
  scores: Float64Array,
  reference: number,
  temperature: number,
): number | undefined {
  if (floor === -Infinity) return 0;
  const total = logTotals.get(temperature);
  // At the lowest temperatures, the total exceeds float32.
  if (total === undefined || !Number.isFinite(total)) return undefined;
  // Relative to the total, so that nothing overflows.
  const part = (logit: number): number => Math.exp(logit / temperature - total);
  if (scores.reduce((sum, score) => sum + part(score), 0) < MIN_TRUSTED_SHARE) return undefined;
  const difference = logits.reduce((rest, logit) => rest - part(logit), 1);
  // Rounding must not push the difference above the largest weight that the unknown tokens can have.
  const unknown = Math.min(Math.max(0, difference), unknownCount * part(floor));
  return unknown * Math.exp(total - reference / temperature);
}
