// Penalties for what the last tokens repeat, in mlx-lm's order and form. Pure.
import type { Sampling } from './sampling';

/** How often each of the last tokens of a text occurs among them. */
export type Occurrences = ReadonlyMap<number, number>;

const NONE: Occurrences = new Map();

/** Occurrences in the window at the end of `history` followed by `drafts`. */
export function occurrences(
  { penaltyWindow }: Pick<Sampling, 'penaltyWindow'>,
  history: readonly number[],
  drafts: readonly number[] = [],
): Occurrences {
  if (penaltyWindow === 0) return NONE;
  const counts = new Map<number, number>();
  const older = Math.max(0, penaltyWindow - drafts.length);
  const window = [...(older > 0 ? history.slice(-older) : []), ...drafts.slice(-penaltyWindow)];
  for (const token of window) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

/** A logit after the repetition, presence and frequency penalties for a token that occurs `count` times. */
export function penalised(logit: number, count: number, sampling: Sampling): number {
  if (count === 0) return logit;
  const { repetitionPenalty, presencePenalty, frequencyPenalty } = sampling;
  const repeated = logit < 0 ? logit * repetitionPenalty : logit / repetitionPenalty;
  return repeated - presencePenalty - frequencyPenalty * count;
}
