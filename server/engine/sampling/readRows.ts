// From logits on the device to rows that the chain can work on, reading as little as possible: the largest logits by
// chunks, never a sort of the vocabulary. Knows nothing about drafts.
import { ModelFault } from '../../rules/inputError';
import * as mx from '../../models/mlx/ops';
import { scope } from '../../models/mlx/memory';
import type { Pending } from './sampler';

/** What is known of one row of logits: the largest ones and those that were requested. */
export interface LogitRow {
  /** The known ones, ascending. */
  readonly tokens: readonly number[];
  /** One for each of `tokens`. */
  readonly logits: readonly number[];
  /** How many tokens are not known. */
  readonly others: number;
  /** No other token has a larger logit; -Infinity when there is none. */
  readonly floor: number;
  /** log Σ exp(logit / temperature) over the vocabulary, by temperature, where it was requested. */
  readonly logTotals: ReadonlyMap<number, number>;
  /** Every logit, until the arrays are freed. Slow for a large vocabulary. */
  readonly all: () => readonly number[];
}

export interface RowWishes {
  /** How many of the largest logits. */
  readonly largest: number;
  /** Ids that each row has to know. */
  readonly named?: readonly (readonly number[])[] | undefined;
  /** The temperatures at which the sum over the vocabulary matters. */
  readonly temperatures?: readonly number[] | undefined;
}

export type PendingRows = Pending<readonly LogitRow[]> & {
  readonly arrays: {
    /** [rows, vocabSize], float32, for rows that need all. */
    readonly logits: mx.MxArray;
    /** [rows, n]: the largest, in no order, as token ids and values. */
    readonly ids: mx.MxArray;
    readonly values: mx.MxArray;
    /** [rows, m]: those that were requested by id. */
    readonly named: mx.MxArray | undefined;
    /** [rows] for each of the temperatures: probability of the most probable token. */
    readonly tops: readonly mx.MxArray[];
  };
};

/**
 * Throws ModelFault unless these logits of the target's best tokens are finite: weights that are not, perhaps those of one
 * token or of one expert, would have it write the first token of the vocabulary for ever.
 */
export function requireFinite(logits: readonly number[], where = 'the model'): void {
  if (logits.every(Number.isFinite)) return;
  throw new ModelFault({
    expected: `weights in ${where} that give finite numbers`,
    got: 'NaN or infinite ones',
    remedy: 'use another model, or download this one again',
  });
}

/** Lazy. `logits` are [1, rows, vocabSize]. */
export function readRows(logits: mx.MxArray, wishes: RowWishes): PendingRows {
  const { largest, named = [], temperatures = [] } = wishes;
  const width = logits.shape[2] ?? 0;
  const flat = mx.astype(mx.reshape(logits, -1, width), mx.float32);
  const best = mx.largestOfMany(flat, Math.min(width, largest));
  const tempered = (temperature: number): mx.MxArray =>
    temperature === 1 ? flat : mx.multiply(flat, mx.constant(1 / temperature, mx.float32));
  const wanted = evenly(named);
  const arrays = {
    logits: flat,
    ids: best,
    values: mx.valuesAt(flat, best),
    named: wanted[0]?.length ? mx.valuesAt(flat, mx.constant(wanted, mx.int32)) : undefined,
    tops: temperatures.map((temperature) => mx.topProbability(tempered(temperature))),
  };
  return { arrays, read: () => rowsOf(arrays, wishes) };
}

/** Padded to the same number of ids in each row, by repeating some. */
function evenly(named: readonly (readonly number[])[]): (readonly number[])[] {
  const widest = Math.max(...named.map((ids) => ids.length));
  return named.map((ids) => [...ids, ...Array<number>(widest - ids.length).fill(ids[0] ?? 0)]);
}

/** Once the arrays are settled. */
function rowsOf(arrays: PendingRows['arrays'], { named = [], temperatures = [] }: RowWishes): LogitRow[] {
  const [ids, values] = [mx.rows(arrays.ids), mx.rows(arrays.values)];
  const namedValues = arrays.named ? mx.rows(arrays.named) : [];
  const tops = arrays.tops.map(mx.numbers);
  const width = arrays.logits.shape[1] ?? 0;
  return values.map((largest, row) => {
    const best = Math.max(...largest);
    const known = new Map(largest.map((logit, i) => [ids[row]?.[i] ?? 0, logit]));
    for (const [i, token] of (named[row] ?? []).entries()) known.set(token, namedValues[row]?.[i] ?? 0);
    const tokens = [...known.keys()].sort((a, b) => a - b);
    const logTotal = (temperature: number, i: number): number =>
      best / temperature - Math.log(tops[i]?.[row] ?? NaN);
    return {
      tokens,
      logits: tokens.map((token) => known.get(token) ?? 0),
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
  scope((): undefined => {
    values = mx.rows(mx.slice(array, 0, row, row + 1))[0] ?? [];
  });
  return values;
}
