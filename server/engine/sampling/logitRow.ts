// What is known of one row of logits without reading all of it: the largest ones and those that were asked for.

export interface LogitRow {
  /** By token. */
  readonly known: ReadonlyMap<number, number>;
  /** No token outside `known` has a larger logit. */
  readonly floor: number;
  /** log Σ exp(logit) over the vocabulary, where it was asked for. */
  readonly logTotal?: number | undefined;
  /** log Σ exp(logit / temperature), where it was asked for. */
  readonly logTotalTempered?: number | undefined;
  /** Every logit. Slow for a large vocabulary. */
  readonly all: () => readonly number[];
}

/** The same row with every logit known. */
export function completeRow({ all }: LogitRow): LogitRow {
  const logits = all();
  return { known: new Map(logits.entries()), floor: -Infinity, all: () => logits };
}
