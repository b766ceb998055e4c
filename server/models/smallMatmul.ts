// Products of many small matrices. Knows only which of several ways is faster where.
import { core, hasGpu } from './binding';
import { track } from './memory';
import * as mx from './ops';

/** Multiplications of one product up to which sums of products are faster (bench/NOTES.md). */
const SMALL = 2 ** 14;

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

/** Pairs of matrices up to which the products that nobody asked for cost less than to wake the threads for each. */
const FEW = 16;

/**
 * a[i] · b[i]ᵀ for `a` [n, rows, inner] and `b` [n, columns, inner]. On the CPU a few are the diagonal blocks of one
 * product of all rows with all columns.
 */
export function pairedMatmul(a: mx.MxArray, b: mx.MxArray): mx.MxArray {
  const [n = 0, rows = 0, inner = 0] = a.shape;
  const [, columns = 0] = b.shape;
  if (hasGpu || n === 1 || n > FEW) return mx.matmul(a, mx.transpose(b, 0, 2, 1));
  const right = mx.transpose(mx.reshape(b, n * columns, inner), 1, 0);
  const all = mx.matmul(mx.reshape(a, n * rows, inner), right);
  const width = n * columns;
  return track(core.asStrided(all, [n, rows, columns], [rows * width + columns, width, 1], 0));
}
