// Draws drafts when each row of logits depends on the draft before it: the chain of processRow.ts on the device, where
// nothing is read back between rows. The distributions are read along with the drafts, as they were drawn from.
import type { ProposedChain } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';
import { distribution } from './distribution';
import { chainNumber, DRAFTED_FROM } from './rowDraws';
import type { Drafted, Pending, Place } from './sampler';
import { penalises, truncates, type Sampling } from '../request/sampling';

/** Below 1 in float32 too, so that what is below it times the total always lies below the total. */
const MOST = 1 - 2 ** -24;

/** Float32 ends long before the lowest temperature. */
const MOST_STEEP = 1e30;

/** Each [1, n], but for the token [1]. */
interface DrawnRow {
  readonly ids: mx.MxArray;
  readonly probabilities: mx.MxArray;
  readonly token: mx.MxArray;
}

export function drawnChain({ draft }: ProposedChain, at: Place, sampling: Sampling): Pending<Drafted> {
  const rows: DrawnRow[] = [];
  const logConfidence = draft((raw, row) => {
    const drafts = rows.map(({ token }) => token);
    const drawn = drawRow(
      biased(mx.astype(mx.reshape(raw, 1, -1), mx.float32), sampling),
      recentTokens(at, drafts, sampling),
      sampling,
      chainNumber(sampling.seed, at.position, row),
    );
    rows.push(drawn);
    return drawn.token;
  });
  const joined = (part: keyof DrawnRow) =>
    mx.concatenate(
      rows.map((row) => row[part]),
      0,
    );
  const arrays = {
    ids: joined('ids'),
    probabilities: joined('probabilities'),
    tokens: joined('token'),
    logConfidence,
  };
  const read = (): Drafted => {
    const [ids, probabilities] = [mx.rows(arrays.ids), mx.rows(arrays.probabilities)];
    const distributions = ids.map((tokens, row) => {
      const isPossible = (_: unknown, i: number): boolean => (probabilities[row]?.[i] ?? 0) > 0;
      return distribution(tokens.filter(isPossible), (probabilities[row] ?? []).filter(isPossible));
    });
    return { tokens: mx.numbers(arrays.tokens), distributions, logConfidence: mx.numbers(logConfidence) };
  };
  return { arrays, read };
}

/** What penalties fall on behind these drafts [1], one entry for each time: [n], or undefined for nothing. */
function recentTokens(
  { history }: Place,
  drafts: readonly mx.MxArray[],
  sampling: Sampling,
): mx.MxArray | undefined {
  const start = Math.max(0, history.length + drafts.length - sampling.penaltyWindow);
  const known = history.slice(start);
  const drafted = drafts.slice(Math.max(0, start - history.length));
  if (!penalises(sampling) || known.length + drafted.length === 0) return undefined;
  const tokens = known.length > 0 ? [mx.constant(known, mx.int32)] : [];
  return mx.concatenate([...tokens, ...drafted.map((token) => mx.astype(token, mx.int32))], 0);
}

/** Rows [..., vocabulary] with the biases. All of it, as they can lift any token among the most probable ones. */
export function biased(rows: mx.MxArray, { logitBias }: Sampling): mx.MxArray {
  if (logitBias.length === 0) return rows;
  const biases = Array<number>(rows.shape.at(-1) ?? 0).fill(0);
  for (const [token, bias] of logitBias) biases[token] = bias;
  return mx.add(mx.astype(rows, mx.float32), mx.constant(biases, mx.float32));
}

/** Draws from `row` [1, vocabulary], by a random number from 0 to below 1. */
function drawRow(
  row: mx.MxArray,
  recent: mx.MxArray | undefined,
  sampling: Sampling,
  random: number,
): DrawnRow {
  const { forbiddenTokens } = sampling;
  const count = DRAFTED_FROM + (recent?.size ?? 0) + forbiddenTokens.length;
  const known = mx.largestOfMany(row, Math.min(row.size, count));
  const all = scored(mx.valuesAt(row, known), known, recent, sampling);
  const order = mx.slice(mx.falling(all), 1, 0, Math.min(known.size, DRAFTED_FROM));
  const ids = mx.valuesAt(known, order);
  const probabilities = mx.softmax(passing(mx.valuesAt(all, order), sampling));
  const reached = mx.cumsum(probabilities, 1);
  const total = mx.slice(reached, 1, ids.size - 1, ids.size);
  const number = mx.multiply(total, Math.min(MOST, random));
  // The first one that passes the number: it has a probability, or nothing would have been added.
  const place = mx.argmax(mx.astype(mx.less(number, reached), mx.float32));
  return { ids, probabilities, token: mx.reshape(mx.valuesAt(ids, mx.reshape(place, 1, 1)), -1) };
}

/** `values` [1, n] of the tokens `ids` after the penalties; -Infinity where they are forbidden. */
function scored(
  values: mx.MxArray,
  ids: mx.MxArray,
  recent: mx.MxArray | undefined,
  { forbiddenTokens, repetitionPenalty, presencePenalty, frequencyPenalty }: Sampling,
): mx.MxArray {
  let scores = values;
  const zero = mx.constant(0, mx.float32);
  if (recent) {
    const times = timesAmong(ids, recent);
    const toward = mx.where(
      mx.less(values, zero),
      mx.multiply(values, repetitionPenalty),
      mx.multiply(values, 1 / repetitionPenalty),
    );
    const less = mx.add(mx.multiply(times, frequencyPenalty), presencePenalty);
    scores = mx.where(mx.less(zero, times), mx.subtract(toward, less), values);
  }
  if (forbiddenTokens.length === 0) return scores;
  const bans = timesAmong(ids, mx.constant(forbiddenTokens, mx.int32));
  return mx.where(mx.less(zero, bans), mx.constant(-Infinity, mx.float32), scores);
}

/** How often each of `ids` [1, n] is among `tokens` [m]: [1, n]. */
function timesAmong(ids: mx.MxArray, tokens: mx.MxArray): mx.MxArray {
  const same = mx.equal(mx.reshape(mx.astype(ids, mx.int32), -1, 1), mx.reshape(tokens, 1, -1));
  const ones = mx.constant(Array<number>(tokens.size).fill(1), mx.float32);
  return mx.reshape(mx.matmul(mx.astype(same, mx.float32), mx.reshape(ones, -1, 1)), 1, -1);
}

/** `scores` [1, n] in falling order, divided by the temperature; -Infinity for what is cut off before. */
function passing(scores: mx.MxArray, sampling: Sampling): mx.MxArray {
  const { temperature, topP, minP, topK } = sampling;
  // Below the best one, so that the lowest temperatures overflow to no chance and not to no number.
  const below = mx.subtract(scores, mx.largestValue(scores));
  const tempered = mx.multiply(below, Math.min(MOST_STEEP, 1 / temperature));
  if (!truncates(sampling)) return tempered;
  const probabilities = mx.softmax(scores);
  // What comes before each: the one that completes top-p still passes.
  const before = mx.subtract(mx.cumsum(probabilities, 1), probabilities);
  const places = mx.reshape(mx.astype(mx.arange(0, scores.size), mx.float32), 1, -1);
  const least = mx.multiply(mx.largestValue(probabilities), minP);
  const passes = mx.logicalAnd(
    mx.logicalAnd(
      mx.less(before, mx.constant(topP < 1 ? topP : Infinity, mx.float32)),
      mx.lessEqual(least, probabilities),
    ),
    mx.less(places, mx.constant(topK > 0 ? topK : Infinity, mx.float32)),
  );
  return mx.where(passes, tempered, mx.constant(-Infinity, mx.float32));
}
