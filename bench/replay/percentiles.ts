// Percentiles by nearest rank, so that each is a measured value.

export interface Percentiles {
  readonly count: number;
  /** Percentiles; null without values. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

export function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
