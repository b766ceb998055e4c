// Number of rows that a layer with a window keeps: its cache allocates them, and the memory estimate counts them.

/** Buffers grow in steps of this many rows. */
export const ROW_STEP = 256;
/** After older rows were dropped, the cache can still be cut back by this many: a long suggestion and its drafts. */
const HISTORY = 512;
/** At least this many rows come in before the next drop, so that a row is copied once or twice in its life. */
const MIN_SLACK = 512;

export interface WindowRows {
  /** Rows that stay when older ones are dropped. */
  readonly kept: number;
  /** Rows that are held before that, unless more come in at once. */
  readonly capacity: number;
}

/** For rows that see `window` rows, themselves included; Infinity sees all. */
export function windowRows(window: number): WindowRows {
  const kept = window - 1 + HISTORY;
  return { kept, capacity: kept + Math.max(MIN_SLACK, Math.floor(window / 2)) };
}

/** The size of the buffer in which that many rows fit. */
export function allocatedRows(rows: number): number {
  return Math.ceil(rows / ROW_STEP) * ROW_STEP;
}
