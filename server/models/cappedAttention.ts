// Attention whose scores are squeezed softly into ±cap before the softmax, which no native kernel does.
// Knows nothing about caches or projections.
import * as mx from './ops';
import { additiveWindowMask } from './windowMask';

/** Where soft caps are used: cap · tanh(x / cap). */
export function softCap(x: mx.MxArray, cap: number): mx.MxArray {
  return mx.multiply(mx.tanh(mx.multiply(x, 1 / cap)), cap);
}

/**
 * softmax(softCap(q·kᵀ·scale) + mask)·v for q [1, H, L, D] and k, v [1, Hkv, S, D], with H a multiple of Hkv.
 * A mask in numbers is [L, S]; those of many layers are best made once (additiveWindowMask).
 */
export function cappedAttention(
  q: mx.MxArray,
  k: mx.MxArray,
  v: mx.MxArray,
  { scale, cap }: { readonly scale: number; readonly cap: number },
  mask: mx.Mask,
): mx.MxArray {
  const [, heads = 1, rows = 1, headDim = 1] = q.shape;
  const [, groups = 1, keys = 1] = k.shape;
  const perGroup = heads / groups;
  // All queries that share keys are rows of one product.
  const queries = mx.reshape(mx.multiply(q, scale / cap), 1, groups, perGroup * rows, headDim);
  const scores = mx.multiply(mx.tanh(mx.matmul(queries, mx.transpose(k, 0, 1, 3, 2))), cap);
  const additive = mask === 'causal' ? additiveWindowMask(rows, keys - rows, Infinity, q.dtype) : mask;
  const masked = additive ? mx.add(mx.reshape(scores, 1, groups, perGroup, rows, keys), additive) : scores;
  const weights = mx.reshape(mx.softmax(masked), 1, groups, perGroup * rows, keys);
  return mx.reshape(mx.matmul(weights, v), 1, heads, rows, headDim);
}
