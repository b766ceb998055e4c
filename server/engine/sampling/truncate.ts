// How much of a row of logits top-p, min-p and top-k keep, in mlx-lm's order. Pure arithmetic on falling logits; knows
// no tokens.
import type { Sampling } from './sampling';

export interface Passed {
  /** How many of the first logits pass. */
  readonly count: number;
  /** Whether nothing beyond them can pass. */
  readonly settled: boolean;
}

/**
 * `falling` are the largest logits; `settled` says that there are no others. `total` gives Σ exp(logit - the first)
 * over the whole row, which only top-p asks for. Undefined when it is asked for and not known.
 */
export function truncate(
  falling: ArrayLike<number>,
  settled: boolean,
  total: () => number | undefined,
  { topP, minP, topK }: Sampling,
): Passed | undefined {
  let passed: Passed = { count: falling.length, settled };
  // Nothing changes while there may be fewer.
  const keep = (count: number): void => {
    if (count <= passed.count) passed = { count, settled: true };
  };
  if (topP < 1) {
    const sum = total();
    if (sum === undefined) return undefined;
    keep(nucleus(falling, topP * sum));
  }
  if (minP > 0) {
    const least = (falling[0] ?? 0) + Math.log(minP);
    let count = 0;
    while (count < passed.count && (falling[count] ?? 0) >= least) count += 1;
    if (count < passed.count) keep(count);
  }
  if (topK > 0) keep(topK);
  return passed;
}

/** How many it takes to reach the weight; one more than there are when they do not reach it. */
function nucleus(falling: ArrayLike<number>, enough: number): number {
  const best = falling[0] ?? 0;
  let reached = 0;
  for (let i = 0; i < falling.length; i++) {
    reached += Math.exp((falling[i] ?? 0) - best);
    if (reached >= enough) return i + 1;
  }
  return falling.length + 1;
}
