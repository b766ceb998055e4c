// Which keys the rows of a pass may see where each sees only the newest `window` positions, itself included.
// Made once per pass and window; the keys are those that a SlidingCache returns.
import * as mx from './ops';

/** For `rows` new positions after `offset` cached ones; a single row sees all keys that it is given. */
export function windowMask(rows: number, offset: number, window: number, dtype: mx.Dtype): mx.Mask {
  if (offset + rows <= window) return mx.causalMask(rows, offset, dtype);
  return additiveWindowMask(rows, offset, window, dtype);
}

/** The same in numbers, [rows, keys], for attention that is not the native one. */
export function additiveWindowMask(
  rows: number,
  offset: number,
  window: number,
  dtype: mx.Dtype,
): mx.MxArray | undefined {
  if (rows === 1) return undefined;
  const first = Math.max(0, offset - window + 1);
  const query = mx.reshape(mx.arange(offset, offset + rows), rows, 1);
  const key = mx.arange(first, offset + rows);
  const past = mx.lessEqual(key, query);
  if (offset + rows <= window) return mx.additiveMask(past, dtype);
  const near = mx.less(query, mx.add(key, mx.constant(window, mx.int32)));
  return mx.additiveMask(mx.logicalAnd(past, near), dtype);
}
