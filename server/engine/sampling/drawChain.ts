// Draws the drafts of a chain, in which each row of logits depends on the draft before it. It computes the same steps as
// processRow.ts, but as one graph on the device, as nothing can be read back between rows. The distributions that the
// drafts were drawn from are read together with them.
import type { ProposedChain } from '../../models/drafters/drafter';
import { largestOfMany } from '../../models/mlx/largestOfMany';
import * as mx from '../../models/mlx/ops';
import { penalises, truncates, type Sampling } from '../request/sampling';
import { certain, distribution } from './distribution';
import { chainRandom } from './positionRandom';
import { MAX_DRAFT_CANDIDATES } from './rowDistributions';
import type { DraftedTokens, Pending, TokenContext } from './sampler';

/** Upper bound of a random number: below 1 in float32 too, so that its product with a total stays below the total. */
const MAX_RANDOM = 1 - 2 ** -24;

/** Largest factor 1 / temperature: the lowest temperatures would exceed float32. */
const MAX_SHARPNESS = 1e30;

/** Arrays of one row: [1, n], and [1] for the token. */
interface DrawnRow {
  readonly ids: mx.MxArray;
  readonly probabilities: mx.MxArray;
  readonly token: mx.MxArray;
}

/** Draws the drafts of a chain, one for each row. Lazy; reading the result also gives their distributions. */
export function drawChain(
  { draft }: ProposedChain,
  context: TokenContext,
  sampling: Sampling,
): Pending<DraftedTokens> {
  const rows: DrawnRow[] = [];
  const logConfidence = draft((logits, row) => {
    const drafts = rows.map(({ token }) => token);
    const drawn = drawRow(
      biased(mx.astype(mx.reshape(logits, 1, -1), mx.float32), sampling),
      recentTokens(context, drafts, sampling),
      sampling,
      chainRandom(sampling.seed, context.position, row),
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
  const read = (): DraftedTokens => {
    const ids = mx.rows(arrays.ids);
    const probabilities = mx.rows(arrays.probabilities);
    const drafts = mx.numbers(arrays.tokens);
    const distributions = ids.map((tokens, row) => {
      const isPossible = (_: unknown, i: number): boolean => (probabilities[row]?.[i] ?? 0) > 0;
      const possible = tokens.filter(isPossible);
      // A broken drafter, whose logits are not finite, gives an arbitrary draft.
      if (possible.length === 0) return certain(drafts[row] ?? 0);
      return distribution(possible, (probabilities[row] ?? []).filter(isPossible));
    });
    return { tokens: drafts, distributions, logConfidence: mx.numbers(logConfidence) };
  };
  return { arrays, read };
}

/**
 * Returns the tokens [n] in the penalty window at the end of the history followed by `drafts`, which are arrays [1]. A
 * token has one entry per occurrence. Undefined if nothing is penalised.
 */
function recentTokens(
  { history }: TokenContext,
  drafts: readonly mx.MxArray[],
  sampling: Sampling,
): mx.MxArray | undefined {
  const start = Math.max(0, history.length + drafts.length - sampling.penaltyWindow);
  const committed = history.slice(start);
  const drafted = drafts.slice(Math.max(0, start - history.length));
  if (!penalises(sampling) || committed.length + drafted.length === 0) return undefined;
  const tokens = committed.length > 0 ? [mx.array(committed, mx.int32)] : [];
  return mx.concatenate([...tokens, ...drafted.map((token) => mx.astype(token, mx.int32))], 0);
}

/** Adds the biases to whole rows [..., vocabSize], as they can lift any token among the most probable ones. */
export function biased(rows: mx.MxArray, { logitBias }: Sampling): mx.MxArray {
  if (logitBias.length === 0) return rows;
  const biases = Array<number>(rows.shape.at(-1) ?? 0).fill(0);
  for (const [token, bias] of logitBias) biases[token] = bias;
  return mx.add(mx.astype(rows, mx.float32), mx.array(biases, mx.float32));
}

/** Draws from `row` [1, vocabSize] by `random` in [0, 1). */
function drawRow(
  row: mx.MxArray,
  recent: mx.MxArray | undefined,
  sampling: Sampling,
  random: number,
): DrawnRow {
  const { forbiddenTokens } = sampling;
  const count = MAX_DRAFT_CANDIDATES + (recent?.size ?? 0) + forbiddenTokens.length;
  const largest = largestOfMany(row, Math.min(row.size, count));
  const scores = scoreTokens(mx.takeAlongAxis(row, largest), largest, recent, sampling);
  const order = mx.slice(mx.argsortDescending(scores), 1, 0, Math.min(largest.size, MAX_DRAFT_CANDIDATES));
  const ids = mx.takeAlongAxis(largest, order);
  const probabilities = mx.softmax(truncateScores(mx.takeAlongAxis(scores, order), sampling));
  const cumulative = mx.cumsum(probabilities, 1);
  const total = mx.slice(cumulative, 1, ids.size - 1, ids.size);
  const threshold = mx.multiply(total, Math.min(MAX_RANDOM, random));
  // The first token whose cumulative probability exceeds the threshold has a probability above 0.
  const index = mx.argmax(mx.astype(mx.less(threshold, cumulative), mx.float32));
  return { ids, probabilities, token: mx.reshape(mx.takeAlongAxis(ids, mx.reshape(index, 1, 1)), -1) };
}

/** Applies penalties to `values` [1, n] of the tokens `ids`, and sets forbidden ones to -Infinity. */
function scoreTokens(
  values: mx.MxArray,
  ids: mx.MxArray,
  recent: mx.MxArray | undefined,
  { forbiddenTokens, repetitionPenalty, presencePenalty, frequencyPenalty }: Sampling,
): mx.MxArray {
  let scores = values;
  const zero = mx.array(0, mx.float32);
  if (recent) {
    const counts = countAmong(ids, recent);
    const repeated = mx.where(
      mx.less(values, zero),
      mx.multiply(values, repetitionPenalty),
      mx.multiply(values, 1 / repetitionPenalty),
    );
    const penalty = mx.add(mx.multiply(counts, frequencyPenalty), presencePenalty);
    scores = mx.where(mx.less(zero, counts), mx.subtract(repeated, penalty), values);
  }
  if (forbiddenTokens.length === 0) return scores;
  const bans = countAmong(ids, mx.array(forbiddenTokens, mx.int32));
  return mx.where(mx.less(zero, bans), mx.array(-Infinity, mx.float32), scores);
}

/** Counts how often each of `ids` [1, n] occurs among `tokens` [m]: [1, n]. */
function countAmong(ids: mx.MxArray, tokens: mx.MxArray): mx.MxArray {
  const same = mx.equal(mx.reshape(mx.astype(ids, mx.int32), -1, 1), mx.reshape(tokens, 1, -1));
  const ones = mx.array(Array<number>(tokens.size).fill(1), mx.float32);
  return mx.reshape(mx.matmul(mx.astype(same, mx.float32), mx.reshape(ones, -1, 1)), 1, -1);
}

/** Divides `scores` [1, n], in falling order, by the temperature and sets truncated ones to -Infinity. */
function truncateScores(scores: mx.MxArray, sampling: Sampling): mx.MxArray {
  const { temperature, topP, minP, topK } = sampling;
  // Relative to the best one, so that the lowest temperatures underflow to a probability of 0 and not to NaN.
  const relative = mx.subtract(scores, mx.max(scores, -1, true));
  const tempered = mx.multiply(relative, Math.min(MAX_SHARPNESS, 1 / temperature));
  if (!truncates(sampling)) return tempered;
  const probabilities = mx.softmax(scores);
  // The probability before each token: the one that completes top-p still passes.
  const before = mx.subtract(mx.cumsum(probabilities, 1), probabilities);
  const ranks = mx.reshape(mx.astype(mx.arange(0, scores.size), mx.float32), 1, -1);
  const minProbability = mx.multiply(mx.max(probabilities, -1, true), minP);
  const passes = mx.logicalAnd(
    mx.logicalAnd(
      mx.less(before, mx.array(topP < 1 ? topP : Infinity, mx.float32)),
      mx.lessEqual(minProbability, probabilities),
    ),
    mx.less(ranks, mx.array(topK > 0 ? topK : Infinity, mx.float32)),
  );
  return mx.where(passes, tempered, mx.array(-Infinity, mx.float32));
}
