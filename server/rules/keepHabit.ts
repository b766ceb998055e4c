// What a person keeps of what is suggested in a language: counts only, and what follows from them for the next
// suggestions there. The server is told the offsets, never the counts.

export interface KeepHabit {
  readonly shown: number;
  readonly kept: number;
  /** How many were expected to be kept: the sum of their probabilities, before any offset. */
  readonly expected: number;
}

export const NO_HABIT: KeepHabit = { shown: 0, kept: 0, expected: 0 };

/** As much is believed as if it had been seen this often. */
const PRIOR = 20;
/** Older ones count half as much whenever there are as many. */
const MOST_SHOWN = 200;
/** Of an offset, so that a bad day does not hide everything from then on. */
export const MOST_OFFSET = 1.5;

export function withOutcome(habit: KeepHabit, probability: number, isKept: boolean): KeepHabit {
  const share = habit.shown >= MOST_SHOWN ? 0.5 : 1;
  return {
    shown: habit.shown * share + 1,
    kept: habit.kept * share + Number(isKept),
    expected: habit.expected * share + probability,
  };
}

/** What to add to the logit of a probability, so that as many are expected as are kept; rounded, so that it is calm. */
export function keepOffset({ shown, kept, expected }: KeepHabit): number {
  if (shown === 0) return 0;
  const believed = expected / shown;
  const seen = (kept + PRIOR * believed) / (shown + PRIOR);
  const offset = logit(seen) - logit(believed);
  return Math.round(10 * Math.min(MOST_OFFSET, Math.max(-MOST_OFFSET, offset))) / 10;
}

function logit(probability: number): number {
  const inside = Math.min(0.99, Math.max(0.01, probability));
  return Math.log(inside / (1 - inside));
}
