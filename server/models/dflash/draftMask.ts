// Which keys the rows of a draft block may see (speculative-decoding.md B.5).
import * as mx from '../ops';
import type { DraftLayerKind } from './config';

/**
 * Mask [rows, start + rows] for a block at positions start .. start + rows - 1. Full layers see everything, so
 * they need none; sliding layers see keys less than `window` positions back, and block keys as `causal` says.
 */
export function draftMask(
  { window, causal }: DraftLayerKind,
  start: number,
  rows: number,
  dtype: mx.Dtype,
): mx.Mask {
  if (window === undefined && !causal) return undefined;
  const query = mx.reshape(mx.arange(start, start + rows), rows, 1);
  const key = mx.arange(0, start + rows);
  const past = mx.lessEqual(key, query);
  const inBlock = mx.lessEqual(mx.constant(start, mx.int32), key);
  const reachable = causal ? past : mx.logicalOr(past, inBlock);
  if (window === undefined) return mx.additiveMask(reachable, dtype);
  const near = mx.less(query, mx.add(key, mx.constant(window, mx.int32)));
  return mx.additiveMask(mx.logicalAnd(reachable, causal ? near : mx.logicalOr(near, inBlock)), dtype);
}
