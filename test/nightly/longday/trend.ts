// Fits a straight line to values over time by least squares, with the error of its slope.

interface Point {
  readonly at: number;
  readonly value: number;
}

export interface Trend {
  /** Change of the value per unit of time. */
  readonly slope: number;
  /** Standard error of the slope; infinite with too few points. */
  readonly standardError: number;
  readonly mean: number;
}

/**
 * Number of blocks whose means are fitted. Means are less correlated than neighbouring values; correlation would make
 * the error too small.
 */
const BLOCKS = 16;
/** Standard errors by which a slope must exceed its limit; pure noise does so in one of 40 cases. */
const SIGNIFICANT_ERRORS = 2;

export function trend(points: readonly Point[]): Trend {
  const blocks = parts(points, Math.min(BLOCKS, points.length)).map((part) => ({
    at: mean(part.map(({ at }) => at)),
    value: mean(part.map(({ value }) => value)),
  }));
  const n = blocks.length;
  const [at, value] = [mean(blocks.map((block) => block.at)), mean(blocks.map((block) => block.value))];
  const spread = sum(blocks.map((block) => (block.at - at) ** 2));
  const covariance = sum(blocks.map((block) => (block.at - at) * (block.value - value)));
  const slope = spread === 0 ? 0 : covariance / spread;
  const residual = sum(blocks.map((block) => (block.value - value - slope * (block.at - at)) ** 2));
  const standardError = n > 2 && spread > 0 ? Math.sqrt(residual / (n - 2) / spread) : Infinity;
  return { slope, standardError, mean: value };
}

/** Returns whether a trend exceeds the limit significantly. */
export function growsBeyond({ slope, standardError }: Trend, limit: number): boolean {
  return slope - SIGNIFICANT_ERRORS * standardError > limit;
}

/** Splits a list into parts whose lengths differ by at most one. */
export function parts<T>(list: readonly T[], count: number): T[][] {
  const from = (part: number): number => Math.floor((part * list.length) / count);
  return Array.from({ length: count }, (_, i) => list.slice(from(i), from(i + 1)));
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
