// Solves (I + L) x = b for the strictly lower part L of small square matrices, all heads at once, by inverting blocks
// of twice the size at each step. Sums of powers of L would do too, but they cancel badly where keys are alike.
import * as mx from '../ops';
import type { Weights } from '../weights';

/** Most rows of a block. */
export const MAX_BLOCK = 64;

/** Constants for one number of rows. */
export interface BlockMasks {
  /** 0 on and below the diagonal, -Infinity above: [rows, rows]. Absent for one row, which needs no mask. */
  readonly causal: mx.MxArray | undefined;
  readonly identity: mx.MxArray;
  /** 1 in the lower left quarter of each diagonal block of 2, 4, 8, ... rows: [rows, rows]. */
  readonly quarters: readonly mx.MxArray[];
}

/** The masks of MAX_BLOCK rows, of which every smaller number has a corner. */
export function loadMasks(weights: Pick<Weights, 'constant'>): (rows: number) => BlockMasks {
  const causal = weights.constant(matrix((row, column) => (column <= row ? 0 : -Infinity)));
  const identity = weights.constant(matrix((row, column) => Number(row === column)));
  const quarters: mx.MxArray[] = [];
  for (let size = 1; size < MAX_BLOCK; size *= 2) {
    const isIn = (row: number, column: number): boolean =>
      Math.floor(row / size) === Math.floor(column / size) + 1 && Math.floor(row / size) % 2 === 1;
    quarters.push(weights.constant(matrix((row, column) => Number(isIn(row, column)))));
  }
  return (rows) => {
    const corner = (mask: mx.MxArray): mx.MxArray => mx.slice(mx.slice(mask, 0, 0, rows), 1, 0, rows);
    const levels = Math.ceil(Math.log2(rows));
    return {
      causal: rows === 1 ? undefined : corner(causal),
      identity: corner(identity),
      quarters: quarters.slice(0, levels).map(corner),
    };
  };
}

/** x for `lower` [..., rows, rows], of which only what lies below the diagonal counts, and `b` [..., rows, n]. */
export function solveLower(
  lower: mx.MxArray,
  b: mx.MxArray,
  { identity, quarters: [smallest, ...larger] }: BlockMasks,
): mx.MxArray {
  if (smallest === undefined) return b;
  let inverse = mx.subtract(identity, mx.multiply(lower, smallest));
  for (const quarter of larger) {
    const between = mx.matmul(mx.matmul(inverse, mx.multiply(lower, quarter)), inverse);
    inverse = mx.subtract(inverse, between);
  }
  return mx.matmul(inverse, b);
}

function matrix(entry: (row: number, column: number) => number): number[][] {
  const range = Array.from({ length: MAX_BLOCK }, (_, i) => i);
  return range.map((row) => range.map((column) => entry(row, column)));
}
