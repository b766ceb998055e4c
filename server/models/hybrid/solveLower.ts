// Solves (I + L) x = b for the strictly lower part L of small square matrices, all heads at once, by inverting blocks
// of twice the size at each step. Sums of powers of L would do too, but they cancel badly where keys are alike.
import * as mx from '../ops';
import type { Weights } from '../weights';

/** Most rows of a block. */
export const MAX_BLOCK = 64;

/** Constants for one number of rows. */
export interface BlockMask {
  /** 0 on and below the diagonal, -Infinity above: [rows, rows]. Absent for one row, which needs no mask. */
  readonly causal: mx.MxArray | undefined;
  readonly identity: mx.MxArray;
  /** 1 in the lower left quarter of each diagonal block of 2, 4, 8, ... rows: [rows, rows]. */
  readonly quarters: readonly mx.MxArray[];
}

/** Rows `from` to `to` - 1 of a pass, which are solved at once. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly mask: BlockMask;
}

/** The masks of MAX_BLOCK rows, of which every smaller number has a corner. */
export class BlockMasks {
  private constructor(private readonly whole: Required<BlockMask>) {}

  static load(weights: Pick<Weights, 'constant'>): BlockMasks {
    const matrix = (entry: (row: number, column: number) => number): mx.MxArray => {
      const range = Array.from({ length: MAX_BLOCK }, (_, i) => i);
      return weights.constant(range.map((row) => range.map((column) => entry(row, column))));
    };
    const quarters: mx.MxArray[] = [];
    for (let size = 1; size < MAX_BLOCK; size *= 2) {
      const quarterOf = (i: number): number => Math.floor(i / size);
      quarters.push(
        matrix((row, column) => Number(quarterOf(row) % 2 === 1 && quarterOf(row) === quarterOf(column) + 1)),
      );
    }
    const causal = matrix((row, column) => (column <= row ? 0 : -Infinity));
    const identity = matrix((row, column) => Number(row === column));
    return new BlockMasks({ causal, identity, quarters });
  }

  /** Of a pass of so many rows. The first takes what is over, so that the last one is as long as it can be. */
  blocks(rows: number): Block[] {
    const first = rows % MAX_BLOCK || MAX_BLOCK;
    const blocks = [{ from: 0, to: first, mask: this.#corner(first) }];
    if (first === rows) return blocks;
    const mask = first === MAX_BLOCK && blocks[0] ? blocks[0].mask : this.#corner(MAX_BLOCK);
    for (let from = first; from < rows; from += MAX_BLOCK) blocks.push({ from, to: from + MAX_BLOCK, mask });
    return blocks;
  }

  #corner(rows: number): BlockMask {
    const { causal, identity, quarters } = this.whole;
    const corner = (mask: mx.MxArray): mx.MxArray => mx.slice(mx.slice(mask, 0, 0, rows), 1, 0, rows);
    return {
      causal: rows === 1 || causal === undefined ? undefined : corner(causal),
      identity: corner(identity),
      quarters: quarters.slice(0, Math.ceil(Math.log2(rows))).map(corner),
    };
  }
}

/** x for `lower` [..., rows, rows], of which only what lies below the diagonal counts, and `b` [..., rows, n]. */
export function solveLower(
  lower: mx.MxArray,
  b: mx.MxArray,
  { identity, quarters: [smallest, ...larger] }: BlockMask,
): mx.MxArray {
  if (smallest === undefined) return b;
  let inverse = mx.subtract(identity, mx.multiply(lower, smallest));
  for (const quarter of larger) {
    const between = mx.matmul(mx.matmul(inverse, mx.multiply(lower, quarter)), inverse);
    inverse = mx.subtract(inverse, between);
  }
  return mx.matmul(inverse, b);
}
