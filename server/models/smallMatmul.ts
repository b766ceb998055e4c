// Products of many small matrices. Knows only which of two ways is faster where.
import { core } from './binding';
import * as mx from './ops';

/** Multiplications of one product up to which sums of products are faster (bench/NOTES.md). */
const SMALL = 2 ** 14;

const hasGpu = core.metal.isAvailable();

/**
 * a · b over the last two axes. On the CPU, BLAS takes matrices one by one and wakes its threads for each, which costs
 * more than to multiply and add all small ones at once.
 */
export function smallMatmul(a: mx.MxArray, b: mx.MxArray): mx.MxArray {
  const [rows = 0, inner = 0] = a.shape.slice(-2);
  const [columns = 0] = b.shape.slice(-1);
  if (hasGpu || rows * inner * columns > SMALL) return mx.matmul(a, b);
  const right = mx.reshape(b, ...b.shape.slice(0, -2), 1, inner, columns);
  const products = mx.multiply(mx.reshape(a, ...a.shape, 1), right);
  return inner === 1 ? mx.reshape(products, ...products.shape.slice(0, -2), columns) : mx.sum(products, -2);
}
