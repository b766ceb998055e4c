// Masks: which keys the rows of a pass can attend to. Made once per pass and kind of layer.
import * as mx from '../mlx/ops';

/** What the rows of a pass may see: how far back, all by default, and whether none sees a later one. */
export interface Sight {
  readonly window?: number | undefined;
  readonly causal: boolean;
}

/**
 * For `rows` new positions after `offset` cached ones, each of which sees only the newest `window` positions, itself
 * included, and the others of the pass as `causal` says; undefined where they see all keys given. The keys are those
 * that a KVCache of this window returns. [rows, keys]
 */
export function sightMask(
  { window = Infinity, causal }: Sight,
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
      : mx.logicalAnd(past, mx.less(query, mx.add(key, mx.constant(window, mx.int32))));
  if (causal) return mx.additiveMask(near, dtype);
  return mx.additiveMask(mx.logicalOr(near, mx.lessEqual(mx.constant(offset, mx.int32), key)), dtype);
}
