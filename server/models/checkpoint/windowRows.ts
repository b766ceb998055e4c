// Number of rows that a layer with a window keeps: its cache allocates them, and the memory estimate counts them.

/** Number of rows by which buffers grow. */
export const ROW_STEP = 256;
/** Newest rows that can always be trimmed, even just after old ones were dropped: a long suggestion and its drafts. */
const TRIMMABLE_ROWS = 512;
/** Minimum number of rows between two drops, so that drops copy each row at most three times. */
const MIN_SLACK = 512;

export interface WindowRows {
  /** Rows to keep when older ones are dropped. */
  readonly kept: number;
  /** Number of rows above which old ones are dropped. */
  readonly capacity: number;
}

/** Returns the limits of a layer whose rows attend to `window` rows, themselves included; Infinity means all. */
export function windowRows(window: number): WindowRows {
  const kept = window - 1 + TRIMMABLE_ROWS;
  return { kept, capacity: kept + Math.max(MIN_SLACK, Math.floor(window / 2)) };
}

/** Returns the size of a buffer for this many rows. */
export function allocatedRows(rows: number): number {
  return Math.ceil(rows / ROW_STEP) * ROW_STEP;
}
