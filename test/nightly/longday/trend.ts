// The straight line through values over time, by least squares, and how sure its slope is.

interface Point {
  readonly at: number;
  readonly value: number;
}

export interface Trend {
  /** Change of the value in one unit of time. */
  readonly slope: number;
  /** Of the slope; infinite where there are too few points to tell. */
  readonly standardError: number;
  readonly mean: number;
}

/** Neighbours resemble each other, which would make the line look surer than it is: their means do so less. */
const BLOCKS = 16;
/** Below this, the slope of a line that has nothing but noise exceeds its error in one of 40 cases. */
const SURE = 2;

export function trend(points: readonly Point[]): Trend {
  const blocks = parts(points, Math.min(BLOCKS, points.length)).map((part) => ({
    at: mean(part.map(({ at }) => at)),
    value: mean(part.map(({ value }) => value)),
  }));
  const n = blocks.length;
  const [at, value] = [mean(blocks.map((each) => each.at)), mean(blocks.map((each) => each.value))];
  const spread = sum(blocks.map((each) => (each.at - at) ** 2));
  const slope = spread === 0 ? 0 : sum(blocks.map((each) => (each.at - at) * (each.value - value))) / spread;
  const left = sum(blocks.map((each) => (each.value - value - slope * (each.at - at)) ** 2));
  const standardError = n > 2 && spread > 0 ? Math.sqrt(left / (n - 2) / spread) : Infinity;
  return { slope, standardError, mean: value };
}

/** Whether it grows by more than the limit, and not by chance. */
export function growsBeyond({ slope, standardError }: Trend, limit: number): boolean {
  return slope - SURE * standardError > limit;
}

/** As many parts of a list, as long as each other. */
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
