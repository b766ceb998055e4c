// What a drafter's selector adds to the logits of a row, once the draft before it is known. Knows nothing of chance.
import type { Selector } from '../../models/drafter';
import * as mx from '../../models/ops';
import type { LogitRow } from './logitRow';

/** What tokens of a row gain behind these drafts, as many as there are rows before it. */
export type Gains = (row: number, drafts: readonly number[]) => ReadonlyMap<number, number>;

/** The selector's gains [rows, n, n] among the largest logits of each row, whose `ids` are [rows, n]. Lazy. */
export function gainArray(selector: Selector, ids: mx.MxArray): mx.MxArray {
  return mx.astype(selector.gains(ids), mx.float32);
}

/**
 * From the `values` [rows · n · n] of that array. A draft that was none of the candidates of its row gains the next one
 * nothing.
 */
export function gainsAmong(ids: readonly (readonly number[])[], values: readonly number[]): Gains {
  return (row, drafts) => {
    const candidates = ids[row] ?? [];
    const before = row === 0 ? 0 : (ids[row - 1]?.indexOf(drafts[row - 1] ?? -1) ?? -1);
    if (before < 0) return new Map();
    const start = (row * candidates.length + before) * candidates.length;
    return new Map(candidates.map((token, i) => [token, values[start + i] ?? 0]));
  };
}

/** The row with the gains of the tokens that it knows. */
export function gained(row: LogitRow, gains: ReadonlyMap<number, number>): LogitRow {
  if (gains.size === 0) return row;
  const known = [...row.known].map(([token, logit]) => [token, logit + (gains.get(token) ?? 0)] as const);
  return { ...row, known: new Map(known) };
}
