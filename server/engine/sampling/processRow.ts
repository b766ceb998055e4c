// The one chain from a row of logits to what its token is drawn from, for plain steps, target rows and draft rows
// alike, in mlx-lm's order: forbidden tokens, bias, penalties, top-p, min-p, top-k, temperature last. It works on the part of
// a row that is known, which may be the whole row. Pure arithmetic.
import { certain, distribution, type Distribution } from './distribution';
import type { LogitRow } from './readRows';
import type { TokenLogprobs } from './sampler';
import { truncates, type Sampling } from '../request/sampling';

/** How often each of the last tokens of a text occurs among them. */
export type Occurrences = ReadonlyMap<number, number>;

/** Occurrences in the window at the end of `history` followed by `drafts`. */
export function occurrences(
  { penaltyWindow }: Pick<Sampling, 'penaltyWindow'>,
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
 * The distribution that the next token is drawn from, listed in the order of the ids, which also decides between equal
 * logits. `row` must know every token that occurs, has a bias or is forbidden. Reads the rest of the row only where the known part
 * is not enough. Throws a RangeError when everything is forbidden.
 */
export function processRow(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution {
  const known = processKnown(row, counts, sampling);
  if (known) return known;
  if (row.floor === -Infinity) throw new RangeError('Expected a token that is not forbidden, got none');
  return processRow(completeRow(row), counts, sampling);
}

/**
 * Natural logarithms of the probabilities of a token and of the most probable ones, after the penalties and before
 * truncation.
 */
export function tokenLogprobs(
  token: number,
  row: LogitRow,
  counts: Occurrences,
  sampling: Sampling,
): TokenLogprobs {
  const { logprobs: count = 0 } = sampling;
  const scores = scoreRow(row, counts, sampling);
  const best = largest(scores);
  const total = totalWeight(row, scores, best);
  const falling = fallingAbove(scores, row.floor);
  const own = scores[placeOf(row.tokens, token)];
  const isEnough = falling.length >= count && own !== undefined;
  if (total === undefined || (!isEnough && row.floor > -Infinity))
    return tokenLogprobs(token, completeRow(row), counts, sampling);
  const logprobOf = (score: number): number => score - best - Math.log(total);
  const top = firstPlaces(scores, falling, Math.min(count, falling.length))
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .map((place) => ({ token: row.tokens[place] ?? 0, logprob: logprobOf(scores[place] ?? 0) }));
  return { token, logprob: logprobOf(own ?? -Infinity), top };
}

/** Undefined where it depends on tokens that are not known. */
function processKnown(row: LogitRow, counts: Occurrences, sampling: Sampling): Distribution | undefined {
  const { temperature } = sampling;
  const scores = scoreRow(row, counts, sampling);
  const best = largest(scores);
  if (best <= row.floor) return undefined;
  if (temperature === 0) return certain(row.tokens[scores.indexOf(best)] ?? 0);
  const cuts = truncates(sampling);
  const places = cuts ? passing(row, scores, sampling) : placesFrom(scores, -Infinity, 0);
  const rest = cuts ? 0 : unknownWeight(row, scores, best, temperature);
  if (places === undefined || rest === undefined) return undefined;
  return distribution(
    places.map((place) => row.tokens[place] ?? 0),
    places.map((place) => Math.exp(((scores[place] ?? 0) - best) / temperature)),
    { weight: rest, whole: () => processRow(completeRow(row), counts, sampling) },
  );
}

function completeRow({ all }: LogitRow): LogitRow {
  const logits = all();
  const tokens = logits.map((_, token) => token);
  return { tokens, logits, others: 0, floor: -Infinity, logTotals: new Map(), all };
}

/** The logits of the known tokens after bias and penalties; -Infinity where they are forbidden. */
function scoreRow({ tokens, logits }: LogitRow, counts: Occurrences, sampling: Sampling): Float64Array {
  const { forbiddenTokens, logitBias, repetitionPenalty, presencePenalty, frequencyPenalty } = sampling;
  const scores = Float64Array.from(logits);
  const change = (token: number, to: (logit: number) => number): void => {
    const place = placeOf(tokens, token);
    if (place >= 0) scores[place] = to(scores[place] ?? 0);
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

/** In an ascending list; -1 if it is not there. Thousands may have a bias. */
function placeOf(tokens: readonly number[], token: number): number {
  let [from, to] = [0, tokens.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((tokens[middle] ?? 0) < token) from = middle + 1;
    else to = middle;
  }
  return tokens[from] === token ? from : -1;
}

function largest(scores: Float64Array): number {
  return scores.reduce((best, score) => Math.max(best, score), -Infinity);
}

/**
 * The scores that certainly rank before all unknown tokens. At the floor itself an unknown token may have a lower id;
 * below it, where a penalty can move a token, an unknown one may be more probable.
 */
function fallingAbove(scores: Float64Array, floor: number): Float64Array {
  return scores
    .filter((score) => score > floor)
    .sort()
    .reverse();
}

/** Indices of the first `count` of the `falling` scores; among equal ones the lower index comes first. */
function firstPlaces(scores: Float64Array, falling: Float64Array, count: number): number[] {
  const least = falling[count - 1] ?? Infinity;
  return placesFrom(scores, least, count - falling.indexOf(least));
}

/** Indices of the scores above `least`, and of the first `equals` scores that equal it, ascending. */
function placesFrom(scores: Float64Array, least: number, equals: number): number[] {
  const places: number[] = [];
  let left = equals;
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] ?? 0;
    if (score > least || (score === least && left-- > 0)) places.push(place);
  }
  return places;
}

/** Indices of the scores that pass top-p, min-p and top-k; undefined if these are more than are known. */
function passing(row: LogitRow, scores: Float64Array, sampling: Sampling): number[] | undefined {
  const { topP, minP, topK } = sampling;
  const falling = fallingAbove(scores, row.floor);
  const best = falling[0] ?? 0;
  const total = topP < 1 ? totalWeight(row, scores, best) : 0;
  if (total === undefined) return undefined;
  const until = (stops: (score: number) => boolean): number => {
    const place = falling.findIndex(stops);
    return place < 0 ? Infinity : place;
  };
  let reached = 0;
  const completes = (score: number): boolean => (reached += Math.exp(score - best)) >= topP * total;
  const least = best + Math.log(minP);
  const count = Math.min(
    row.floor === -Infinity ? falling.length : Infinity,
    topP < 1 ? until(completes) + 1 : Infinity,
    minP > 0 ? until((score) => score < least) : Infinity,
    topK > 0 ? topK : Infinity,
  );
  return count <= falling.length ? firstPlaces(scores, falling, count) : undefined;
}

/** Below this fraction of the bare total, a sum is only a difference of rounded numbers. */
const TRUSTED = 1e-2;

/** Σ exp(score - reference) over the whole row; undefined if the part of the unknown tokens is. */
function totalWeight(row: LogitRow, scores: Float64Array, reference: number): number | undefined {
  const unknown = unknownWeight(row, scores, reference, 1);
  if (unknown === undefined) return undefined;
  return scores.reduce((sum, score) => sum + Math.exp(score - reference), unknown);
}

/**
 * Σ exp((logit - reference) / temperature) over the unknown tokens, from the total of the whole row at that
 * temperature. Undefined if the total was not requested, or if penalties take off so much of it that the difference
 * means nothing.
 */
function unknownWeight(
  { logits, others, floor, logTotals }: LogitRow,
  scores: Float64Array,
  reference: number,
  temperature: number,
): number | undefined {
  if (floor === -Infinity) return 0;
  const total = logTotals.get(temperature);
  // Float32 ends long before the lowest temperature.
  if (total === undefined || !Number.isFinite(total)) return undefined;
  // Relative to the bare total, so that nothing overflows.
  const part = (logit: number): number => Math.exp(logit / temperature - total);
  if (scores.reduce((sum, score) => sum + part(score), 0) < TRUSTED) return undefined;
  const difference = logits.reduce((rest, logit) => rest - part(logit), 1);
  // The difference, after rounding, must not exceed what the tokens can have.
  const unknown = Math.min(Math.max(0, difference), others * part(floor));
  return unknown * Math.exp(total - reference / temperature);
}
