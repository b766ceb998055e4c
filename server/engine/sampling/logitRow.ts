// What is known of one row of logits without reading all of it: the largest ones and those that were asked for.

export interface LogitRow {
  /** By token. */
  readonly known: ReadonlyMap<number, number>;
  /** How many tokens are not known. */
  readonly others: number;
  /** No token outside `known` has a larger logit; -Infinity when there is none. */
  readonly floor: number;
  /** log Σ exp(logit / temperature) over the vocabulary, by temperature, where it was asked for. */
  readonly logTotals: ReadonlyMap<number, number>;
  /** Every logit. Slow for a large vocabulary. */
  readonly all: () => readonly number[];
}

/** The same row with every logit known. */
export function completeRow({ all }: LogitRow): LogitRow {
  const logits = all();
  return {
    known: new Map(logits.entries()),
    others: 0,
    floor: -Infinity,
    logTotals: new Map(),
    all: () => logits,
  };
}
