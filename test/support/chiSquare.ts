// Whether counts may come from given probabilities: Pearson's test. Pure arithmetic.

/** Cells that are expected less often are counted together. */
const LEAST_EXPECTED = 5;

/**
 * The probability that counts are at least as far from what is expected. A count where nothing can be is a
 * certain no: 0.
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
  return possible.length < 2 ? 1 : upperGamma((possible.length - 1) / 2, statistic / 2);
}

/** The same for things that came one by one, and the probability of each that may come. */
export function chiSquareOf(things: readonly number[], probabilities: ReadonlyMap<number, number>): number {
  const counts = new Map([...probabilities.keys()].map((thing) => [thing, 0]));
  const impossible = things.filter((thing) => !counts.has(thing));
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return impossible.length > 0 ? 0 : chiSquareTest([...counts.values()], [...probabilities.values()]);
}

interface Cell {
  readonly count: number;
  readonly expected: number;
}

function pooled(counts: readonly number[], probabilities: readonly number[], draws: number): Cell[] {
  const all = probabilities.map((probability, i) => ({
    count: counts[i] ?? 0,
    expected: probability * draws,
  }));
  const impossible = all.filter(({ expected }) => expected === 0);
  const rare = all.filter(({ expected }) => expected > 0 && expected < LEAST_EXPECTED);
  const frequent = all.filter(({ expected }) => expected >= LEAST_EXPECTED);
  return [...frequent, sum(rare), sum(impossible)];
}

function sum(cells: readonly Cell[]): Cell {
  return cells.reduce(
    (total, { count, expected }) => ({ count: total.count + count, expected: total.expected + expected }),
    { count: 0, expected: 0 },
  );
}

/** The regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0. */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - scale * lowerSeries(a, x) : scale * upperFraction(a, x);
}

/** Σ x^n / (a (a + 1) … (a + n)). */
function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let total = term;
  for (let n = 1; term > total * 1e-16; n++) {
    term *= x / (a + n);
    total += term;
  }
  return total;
}

/** The continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - …)), from its end. */
function upperFraction(a: number, x: number): number {
  let value = 0;
  for (let n = 500; n > 0; n--) value = (n * (n - a)) / (x + 2 * n + 1 - a - value);
  return 1 / (x + 1 - a - value);
}

/** log Γ(a): Stirling's series, after the recurrence has made the argument large. */
function logGamma(a: number): number {
  if (a < 12) return logGamma(a + 1) - Math.log(a);
  const square = 1 / (a * a);
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / a;
  return (a - 0.5) * Math.log(a) - a + 0.5 * Math.log(2 * Math.PI) + series;
}
