// Attention of heads that share keys and values. Knows only which of two ways is faster where.
import { hasGpu } from './binding';
import * as mx from './ops';

/** Query rows up to which the products of one head are too small for threads to pay. */
const FEW = 16;

/**
 * mx.attention with masks [L, S]. On the CPU, BLAS takes head by head and wakes its threads for each, which beside other
 * work costs more than a small product itself: query heads that share keys become more rows of one product. A single
 * row is a product with a vector, which no threads are woken for.
 */
export function groupedAttention(
  q: mx.MxArray,
  k: mx.MxArray,
  v: mx.MxArray,
  scale: number,
  mask: mx.Mask,
): mx.MxArray {
  const [, heads = 0, rows = 0, headDim = 0] = q.shape;
  const [, keyHeads = 0] = k.shape;
  const group = heads / keyHeads;
  if (hasGpu || rows === 1 || rows > FEW || group === 1 || mask === 'causal') {
    return mx.attention(q, k, v, scale, mask);
  }
  const together = mx.reshape(q, 1, keyHeads, group * rows, headDim);
  const repeated = mask && mx.concatenate(Array<mx.MxArray>(group).fill(mask), 0);
  return mx.reshape(mx.attention(together, k, v, scale, repeated), 1, heads, rows, headDim);
}
