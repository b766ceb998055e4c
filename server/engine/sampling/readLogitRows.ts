// Reads from the device only those logits of each row that a sampler needs. The largest ones are found by chunks,
// without sorting the vocabulary.
import { largestOfMany } from '../../models/mlx/largestOfMany';
import * as mx from '../../models/mlx/ops';
import { scope } from '../../models/mlx/memory';
import { largestOf, smallestOf } from '../../rules/extremes';
import type { Pending } from './sampler';

/** One row of logits. Only the largest and the requested ones were read; their tokens are the known ones. */
export interface LogitRow {
  /** Known tokens, ascending. */
  readonly tokens: readonly number[];
  /** One entry per known token. */
  readonly logits: readonly number[];
  /** Number of unknown tokens. */
  readonly unknownCount: number;
  /** Upper bound of the unknown logits; -Infinity when all are known. */
  readonly floor: number;
  /** log Σ exp(logit / temperature) over the vocabulary, for each requested temperature. */
  readonly logTotals: ReadonlyMap<number, number>;
  /** Reads every logit. Slow for a large vocabulary, and possible until the arrays are freed. */
  readonly readAll: () => readonly number[];
}

export interface RowSelection {
  /** Number of largest logits to read. */
  readonly largest: number;
  /** Token ids to read in addition, for each row. */
  readonly named?: readonly (readonly number[])[] | undefined;
  /** Temperatures for which to compute the total over the vocabulary. */
  readonly temperatures?: readonly number[] | undefined;
}

type PendingRows = Pending<readonly LogitRow[]> & {
  readonly arrays: {
    /** [rows, vocabSize] in float32, for rows that need all. */
    readonly logits: mx.MxArray;
    /** [rows, n]: ids and values of the largest logits, in no order. */
    readonly ids: mx.MxArray;
    readonly values: mx.MxArray;
    /** [rows, m]: values of the named tokens. */
    readonly named: mx.MxArray | undefined;
    /** One array [rows] per temperature: probability of the most probable token. */
    readonly tops: readonly mx.MxArray[];
  };
};

/**
 * Selects the logits and totals that `selection` names from logits [1, rows, vocabSize]; `read` of the result returns
 * one entry per row. Lazy.
 */
export function readLogitRows(logits: mx.MxArray, selection: RowSelection): PendingRows {
  const { largest, named = [], temperatures = [] } = selection;
  const vocabSize = logits.shape[2] ?? 0;
  const flat = mx.astype(mx.reshape(logits, -1, vocabSize), mx.float32);
  const ids = largestOfMany(flat, Math.min(vocabSize, largest));
  const tempered = (temperature: number): mx.MxArray =>
    temperature === 1 ? flat : mx.multiply(flat, mx.array(1 / temperature, mx.float32));
  const namedIds = padRows(named);
  const arrays = {
    logits: flat,
    ids,
    values: mx.takeAlongAxis(flat, ids),
    named: namedIds[0]?.length ? mx.takeAlongAxis(flat, mx.array(namedIds, mx.int32)) : undefined,
    tops: temperatures.map((temperature) => mx.topProbability(tempered(temperature))),
  };
  return { arrays, read: () => logitRows(arrays, selection) };
}

/** Pads rows to one length by repeating an id of the row. */
function padRows(rows: readonly (readonly number[])[]): (readonly number[])[] {
  const longest = Math.max(...rows.map((ids) => ids.length));
  return rows.map((ids) => [...ids, ...Array<number>(longest - ids.length).fill(ids[0] ?? 0)]);
}

/** Builds the rows from evaluated arrays. */
function logitRows(
  arrays: PendingRows['arrays'],
  { named = [], temperatures = [] }: RowSelection,
): LogitRow[] {
  const ids = mx.rows(arrays.ids);
  const values = mx.rows(arrays.values);
  const namedValues = arrays.named ? mx.rows(arrays.named) : [];
  const tops = arrays.tops.map(mx.numbers);
  const vocabSize = arrays.logits.shape[1] ?? 0;
  return values.map((largest, row) => {
    const best = largestOf(largest);
    const logitOf = new Map(largest.map((logit, i) => [ids[row]?.[i] ?? 0, logit]));
    for (const [i, token] of (named[row] ?? []).entries()) logitOf.set(token, namedValues[row]?.[i] ?? 0);
    const tokens = [...logitOf.keys()].sort((a, b) => a - b);
    const logTotal = (temperature: number, i: number): number =>
      best / temperature - Math.log(tops[i]?.[row] ?? NaN);
    return {
      tokens,
      logits: tokens.map((token) => logitOf.get(token) ?? 0),
      unknownCount: vocabSize - logitOf.size,
      floor: logitOf.size < vocabSize ? smallestOf(largest) : -Infinity,
      logTotals: new Map(temperatures.map((temperature, i) => [temperature, logTotal(temperature, i)])),
      readAll: () => readRow(arrays.logits, row),
    };
  });
}

/** Reads one row of an evaluated array [rows, n]. */
function readRow(array: mx.MxArray, row: number): number[] {
  let values: number[] = [];
  scope((): undefined => {
    values = mx.rows(mx.slice(array, 0, row, row + 1))[0] ?? [];
  });
  return values;
}
