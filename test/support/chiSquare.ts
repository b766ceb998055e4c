// Pearson's test of whether counts can come from given probabilities. Pure arithmetic.

/** Cells with a lower expected count are joined. */
const MIN_EXPECTED = 5;

/**
 * Returns the probability of counts at least this far from the expected ones; 0 for a count of something impossible.
 */
function chiSquareTest(counts: readonly number[], probabilities: readonly number[]): number {
  const draws = counts.reduce((sum, count) => sum + count, 0);
  const cells = pooled(counts, probabilities, draws);
  if (cells.some(({ count, expected }) => expected === 0 && count > 0)) return 0;
  const possible = cells.filter(({ expected }) => expected > 0);
  const statistic = possible.reduce(
    (sum, { count, expected }) => sum + (count - expected) ** 2 / expected,
    0,
  );
  return possible.length < 2 ? 1 : tail(possible.length - 1, statistic);
}

/** Runs the test on a list of outcomes, given the probability of each possible outcome. */
export function chiSquareOf(outcomes: readonly number[], probabilities: ReadonlyMap<number, number>): number {
  const counts = new Map([...probabilities.keys()].map((outcome) => [outcome, 0]));
  const impossible = outcomes.filter((outcome) => !counts.has(outcome));
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return impossible.length > 0 ? 0 : chiSquareTest([...counts.values()], [...probabilities.values()]);
}

interface Cell {
  readonly count: number;
  readonly expected: number;
}

/** Joins the rare cells, and those of impossible outcomes. */
function pooled(counts: readonly number[], probabilities: readonly number[], draws: number): Cell[] {
  const all = probabilities.map((probability, i) => ({
    count: counts[i] ?? 0,
    expected: probability * draws,
  }));
  const impossible = all.filter(({ expected }) => expected === 0);
  const rare = all.filter(({ expected }) => expected > 0 && expected < MIN_EXPECTED);
  const frequent = all.filter(({ expected }) => expected >= MIN_EXPECTED);
  return [...frequent, sum(rare), sum(impossible)];
}

function sum(cells: readonly Cell[]): Cell {
  return cells.reduce(
    (total, { count, expected }) => ({ count: total.count + count, expected: total.expected + expected }),
    { count: 0, expected: 0 },
  );
}

/** Returns the probability of a value at least as large with so many degrees of freedom: Q(degrees / 2, value / 2). */
function tail(degrees: number, value: number): number {
  const [half, isOdd] = [value / 2, degrees % 2 === 1];
  // Q(a + 1, x) = Q(a, x) + x^a e^-x / Γ(a + 1), from Q(1/2, x) or Q(1, x) on.
  let result = isOdd ? erfc(Math.sqrt(half)) : Math.exp(-half);
  let term = (isOdd ? 2 * Math.sqrt(half / Math.PI) : half) * Math.exp(-half);
  for (let a = isOdd ? 0.5 : 1; a < degrees / 2; a++) {
    result += term;
    term *= half / (a + 1);
  }
  return result;
}

/** Computes erfc(x) for x >= 0 to seven digits: a Chebyshev fit of W. H. Press et al., Numerical Recipes. */
function erfc(x: number): number {
  const t = 1 / (1 + x / 2);
  const fit = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
    -0.82215223, 0.17087277,
  ];
  return t * Math.exp(fit.reduceRight((sum, factor) => sum * t + factor, 0) - x * x);
}
