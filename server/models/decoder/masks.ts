// Masks: which keys the rows of a pass may see. Made once per pass and kind of layer. Knows nothing about how attention
// is computed.
import * as mx from '../mlx/ops';

/**
 * For `rows` new positions after `offset` cached ones, each of which sees only the newest `window` positions, itself
 * included; a single row sees all keys given. The keys are those that a KVCache of this window returns. [rows, keys]
 */
export function windowMask(rows: number, offset: number, window: number, dtype: mx.Dtype): mx.Mask {
  if (rows === 1) return undefined;
  return mx.additiveMask(visible(rows, offset, window, Math.max(0, offset - window + 1)), dtype);
}

/** What the rows of a draft block may see: how far back, and whether no row of the block sees a later one. */
export interface BlockSight {
  readonly window: number | undefined;
  readonly causal: boolean;
}

/**
 * Mask [rows, keys] for a block at positions start .. start + rows - 1, whose keys are at
 * positions `first` .. start + rows - 1. Rows that see everything need none; others see keys less than `window`
 * positions back, and block keys as `causal` says.
 */
export function draftMask(
  { window = Infinity, causal }: BlockSight,
  { start, first, rows }: Readonly<Record<'start' | 'first' | 'rows', number>>,
  dtype: mx.Dtype,
): mx.Mask {
  if (window === Infinity && !causal) return undefined;
  const past = visible(rows, start, window, first);
  if (causal) return mx.additiveMask(past, dtype);
  const inBlock = mx.lessEqual(mx.constant(start, mx.int32), mx.arange(first, start + rows));
  return mx.additiveMask(mx.logicalOr(past, inBlock), dtype);
}

/** Whether each of `rows` positions from `offset` on may see each from `first` on, [rows, keys]. */
function visible(rows: number, offset: number, window: number, first: number): mx.MxArray {
  const query = mx.reshape(mx.arange(offset, offset + rows), rows, 1);
  const key = mx.arange(first, offset + rows);
  const past = mx.lessEqual(key, query);
  if (offset + rows <= window) return past;
  return mx.logicalAnd(past, mx.less(query, mx.add(key, mx.constant(window, mx.int32))));
}
