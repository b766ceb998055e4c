// Middle and extremes of a series, for the words beside a chart.
// The quantile is the smallest value that at least that share of the series does not exceed.

export interface Quantiles {
  readonly latest: number;
  readonly median: number;
  readonly p95: number;
  readonly lowest: number;
  readonly highest: number;
}

export function quantiles(values: readonly number[]): Quantiles | undefined {
  const latest = values.at(-1);
  if (latest === undefined) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? latest;
  return { latest, median: at(0.5), p95: at(0.95), lowest: at(0), highest: at(1) };
}
