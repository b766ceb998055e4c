// From logits on the device to rows that the chain can work on, with as little to read as possible: the largest
// logits by chunks, never a sort of the vocabulary. Knows nothing about drafts.
import type { ProposedLogits } from '../../models/drafter';
import { largestOfMany, valuesAt } from '../../models/gather';
import { scope } from '../../models/memory';
import * as mx from '../../models/ops';
import type { LogitRow } from './logitRow';

export interface RowWishes {
  /** How many of the largest logits. */
  readonly largest: number;
  /** The temperatures at which the sum over the vocabulary matters. */
  readonly temperatures?: readonly number[] | undefined;
}

/** What is settled of logits, and the logits themselves for rows that need all. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- an interface is not a Tree
export type RowArrays = {
  /** [rows, columns], float32. */
  readonly logits: mx.MxArray;
  /** [rows, n]: the largest, in no order, as token ids and values. */
  readonly ids: mx.MxArray;
  readonly values: mx.MxArray;
  /** [rows, m]: those that were asked for by id. */
  readonly named: mx.MxArray | undefined;
  /** [rows] for each of the temperatures: probability of the most probable token. */
  readonly tops: readonly mx.MxArray[];
};

/**
 * Lazy. `logits` are [1, rows, columns], of the whole vocabulary or of the tokens of `columns`; `named` are ids that
 * each row has to know, as many for each, all of them among those.
 */
export function rowArrays(
  { logits, columns }: ProposedLogits,
  named: readonly (readonly number[])[],
  { largest, temperatures = [] }: RowWishes,
): RowArrays {
  const width = logits.shape[2] ?? 0;
  const flat = mx.astype(mx.reshape(logits, -1, width), mx.float32);
  const best = largestOfMany(flat, Math.min(width, largest));
  const columnOf = (token: number): number => columns?.columnOf(token) ?? token;
  const namedColumns = named.map((tokens) => tokens.map(columnOf));
  const tempered = (temperature: number): mx.MxArray =>
    temperature === 1 ? flat : mx.multiply(flat, mx.constant(1 / temperature, mx.float32));
  return {
    logits: flat,
    ids: columns ? columns.tokensAt(best) : best,
    values: valuesAt(flat, best),
    named: (named[0]?.length ?? 0) > 0 ? valuesAt(flat, mx.constant(namedColumns, mx.int32)) : undefined,
    tops: temperatures.map((temperature) => mx.topProbability(tempered(temperature))),
  };
}

/** The largest logits of each row, in no order. */
export interface Largest {
  readonly ids: readonly (readonly number[])[];
  readonly values: readonly (readonly number[])[];
}

/** Once the arrays are settled. */
export function readLargest({ ids, values }: Pick<RowArrays, keyof Largest>): Largest {
  return { ids: mx.rows(ids), values: mx.rows(values) };
}

/**
 * The rows, once the arrays are settled; those of the whole vocabulary can be completed until the arrays are freed.
 * Those of a part are for drafts, which need no more than is known.
 */
export function readRows(
  arrays: RowArrays,
  named: readonly (readonly number[])[],
  { temperatures = [] }: RowWishes,
  { ids, values }: Largest = readLargest(arrays),
): LogitRow[] {
  const namedValues = arrays.named ? mx.rows(arrays.named) : [];
  const tops = arrays.tops.map(mx.numbers);
  const width = arrays.logits.shape[1] ?? 0;
  return values.map((largest, row) => {
    const best = Math.max(...largest);
    const known = new Map(largest.map((logit, i) => [ids[row]?.[i] ?? 0, logit]));
    for (const [i, token] of (named[row] ?? []).entries()) known.set(token, namedValues[row]?.[i] ?? 0);
    const logTotal = (temperature: number, i: number): number =>
      best / temperature - Math.log(tops[i]?.[row] ?? NaN);
    return {
      known,
      others: width - known.size,
      floor: known.size < width ? Math.min(...largest) : -Infinity,
      logTotals: new Map(temperatures.map((temperature, i) => [temperature, logTotal(temperature, i)])),
      all: () => readRow(arrays.logits, row),
    };
  });
}

/** One row of a settled [rows, n] array. */
function readRow(array: mx.MxArray, row: number): number[] {
  let values: number[] = [];
  scope(() => {
    values = mx.rows(mx.slice(array, 0, row, row + 1))[0] ?? [];
    return undefined;
  });
  return values;
}
