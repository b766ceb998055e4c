// Masks: which keys the rows of a pass can attend to. Made once per pass and kind of layer.
import * as mx from '../mlx/ops';

/** The positions that a row of a pass attends to. */
export interface AttentionPattern {
  /** Number of newest positions, the row's own included; all by default. */
  readonly window?: number | undefined;
  /** Whether a row does not attend to later rows of its pass. */
  readonly causal: boolean;
}

/**
 * Returns the additive mask [rows, keys] for `rows` new positions after `offset` cached ones; undefined if they attend
 * to all keys. The keys are those that a KVCache with this window returns.
 */
export function attentionMask(
  { window = Infinity, causal }: AttentionPattern,
  offset: number,
  rows: number,
  dtype: mx.Dtype,
): mx.Mask {
  if (causal ? rows === 1 : window === Infinity) return undefined;
  const query = mx.reshape(mx.arange(offset, offset + rows), rows, 1);
  const key = mx.arange(Math.max(0, offset - window + 1), offset + rows);
  const past = mx.lessEqual(key, query);
  const near =
    offset + rows <= window
      ? past
      : mx.logicalAnd(past, mx.less(query, mx.add(key, mx.array(window, mx.int32))));
  if (causal) return mx.additiveMask(near, dtype);
  return mx.additiveMask(mx.logicalOr(near, mx.lessEqual(mx.array(offset, mx.int32), key)), dtype);
}
