// The sampling chain as mlx-lm defines it, written independently for whole rows: the distribution of the next token
// after a history. For tests to compare with; shares no code with the product.
import type { Sampling } from '../../server/engine/request/sampling';

/** Logits of every token after a history, of which the last `drafts` are not committed yet. */
export type LogitsAfter = (history: readonly number[], drafts?: number) => readonly number[];

/** Returns the probability of each token. Among equal logits the lower id comes first. */
export function plainProbabilities(
  logits: readonly number[],
  history: readonly number[],
  sampling: Sampling,
): number[] {
  const scores = penalisedLogits(logits, history, sampling);
  const ranked = scores.map((_, token) => token).sort((a, b) => scores[b]! - scores[a]! || a - b);
  if (sampling.temperature === 0) return scores.map((_, token) => (token === ranked[0] ? 1 : 0));
  const logprobs = logSoftmax(scores);
  const kept = new Set(ranked);
  if (sampling.topP < 1) keepTopP(kept, ranked, logprobs, sampling.topP);
  const best = logprobs[ranked[0]!]!;
  if (sampling.minP > 0)
    for (const token of ranked) if (logprobs[token]! < best + Math.log(sampling.minP)) kept.delete(token);
  if (sampling.topK > 0) for (const token of [...kept].slice(sampling.topK)) kept.delete(token);
  const tempered = logprobs.map((logprob, token) =>
    kept.has(token) ? logprob / sampling.temperature : -Infinity,
  );
  return logSoftmax(tempered).map(Math.exp);
}

/**
 * Returns the probability of every text of `length` tokens after `prompt`; text t_1 … t_n is at
 * Σ t_i · V^(n - i), with V the size of the vocabulary.
 */
export function plainTexts(
  after: LogitsAfter,
  prompt: readonly number[],
  length: number,
  sampling: Sampling,
): ReadonlyMap<number, number> {
  if (length === 0) return new Map([[0, 1]]);
  const texts = new Map<number, number>();
  const next = plainProbabilities(after(prompt), prompt, sampling);
  for (const [token, probability] of next.entries())
    if (probability > 0)
      for (const [index, conditional] of plainTexts(after, [...prompt, token], length - 1, sampling))
        texts.set(token * next.length ** (length - 1) + index, probability * conditional);
  return texts;
}

/** Applies forbidden tokens, bias and the repetition, presence and frequency penalties, in this order. */
function penalisedLogits(
  logits: readonly number[],
  history: readonly number[],
  sampling: Sampling,
): number[] {
  const scores = [...logits];
  for (const [token, bias] of sampling.logitBias) scores[token] = logits[token]! + bias;
  for (const token of sampling.forbiddenTokens) scores[token] = -Infinity;
  const window = history.slice(Math.max(0, history.length - sampling.penaltyWindow));
  for (const token of new Set(window)) {
    const score = scores[token]!;
    scores[token] = score < 0 ? score * sampling.repetitionPenalty : score / sampling.repetitionPenalty;
  }
  for (const token of new Set(window)) scores[token] = scores[token]! - sampling.presencePenalty;
  for (const token of window) scores[token] = scores[token]! - sampling.frequencyPenalty;
  return scores;
}

function logSoftmax(scores: readonly number[]): number[] {
  const best = scores.reduce((most, score) => Math.max(most, score), -Infinity);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - best), 0);
  return scores.map((score) => score - best - Math.log(total));
}

/** Removes from `kept` each token whose probability and all lower ones sum to at most 1 - topP. */
function keepTopP(
  kept: Set<number>,
  ranked: readonly number[],
  logprobs: readonly number[],
  topP: number,
): void {
  let sum = 0;
  for (const token of ranked.toReversed()) {
    sum += Math.exp(logprobs[token]!);
    if (sum <= 1 - topP) kept.delete(token);
  }
}
