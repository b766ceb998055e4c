// The gated delta rule in closed form (Gated DeltaNet, arXiv 2412.06464): the outputs of a block of rows and their
// changes to the state, by products over all heads together. A single row is a block too, so decoding and verifying
// agree. All arrays are float32, except the masks, which have the number type that models on the device compute in. Hk
// is the number of key heads, and R the number of value heads that share each of them.
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

/** Maximum number of rows of a block. */
export const MAX_BLOCK = 64;

export interface DeltaInputs {
  /** Queries followed by keys, at most of unit length: [Hk, 1, 2 · rows, keyDim]. */
  readonly queriesAndKeys: mx.MxArray;
  /** [Hk, R, rows, valueDim] */
  readonly values: mx.MxArray;
  /** Degree to which a value replaces the one that its key recalls, 0 to 1: [Hk, R, rows, 1]. */
  readonly rates: mx.MxArray;
  /** Natural logarithm of the share of the state that remains at each row, at most 0: [Hk, R, rows, 1]. */
  readonly decays: mx.MxArray;
}

/** Changes that rows make to the state. With the state before the rows, they give the state after any of the rows. */
export interface DeltaRows {
  /** [Hk, 1, rows, keyDim] */
  readonly keys: mx.MxArray;
  /** Values added under each key: [Hk, R, rows, valueDim]. */
  readonly deltas: mx.MxArray;
  /** [Hk, R, rows, 1] */
  readonly decays: mx.MxArray;
}

export interface DeltaPass {
  /** Values that the queries recall, each from the state after its own row: [Hk, R, rows, valueDim]. */
  readonly outputs: mx.MxArray;
  readonly rows: DeltaRows;
}

/**
 * Constants that depend only on the number of rows of a block, [rows, rows] each; empty for a single row. The first has
 * 0 on and below the diagonal and -Infinity above, the second is the identity, the others have 1 in the lower left
 * quarter of each diagonal block of 2, 4, 8, ... rows.
 */
export type BlockMask = readonly mx.MxArray[];

/** Rows `from` to `to` - 1 of a pass, which are solved together. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly mask: BlockMask;
}

/**
 * Creates masks for MAX_BLOCK rows; shorter blocks use their upper left corner. Returns a function that splits the rows
 * of a pass into blocks.
 */
export function blockMasks(weights: Weights): (rows: number) => Block[] {
  const matrix = (entry: (row: number, column: number) => number): mx.MxArray => {
    const range = Array.from({ length: MAX_BLOCK }, (_, i) => i);
    return weights.constant(range.map((row) => range.map((column) => entry(row, column))));
  };
  const quarters: mx.MxArray[] = [];
  for (let size = 1; size < MAX_BLOCK; size *= 2) {
    const halfOf = (i: number): number => Math.floor(i / size);
    quarters.push(
      matrix((row, column) => Number(halfOf(row) % 2 === 1 && halfOf(row) === halfOf(column) + 1)),
    );
  }
  const causal = matrix((row, column) => (column <= row ? 0 : -Infinity));
  const identity = matrix((row, column) => Number(row === column));
  const cornerOf = (rows: number): BlockMask => {
    if (rows === 1) return [];
    const needed = [causal, identity, ...quarters.slice(0, Math.ceil(Math.log2(rows)))];
    return needed.map((mask) => mx.slice(mx.slice(mask, 0, 0, rows), 1, 0, rows));
  };
  return (rows) => {
    // The first block takes the remainder, so that the last one is as long as possible.
    const first = rows % MAX_BLOCK || MAX_BLOCK;
    const blocks = [{ from: 0, to: first, mask: cornerOf(first) }];
    if (first === rows) return blocks;
    const mask = cornerOf(MAX_BLOCK);
    for (let from = first; from < rows; from += MAX_BLOCK) blocks.push({ from, to: from + MAX_BLOCK, mask });
    return blocks;
  };
}

/**
 * Computes the outputs of rows from `state` [Hk, R, keyDim, valueDim] and their changes to it, without applying these.
 * The mask must be made for this number of rows.
 */
export function deltaRule(
  { queriesAndKeys, values, rates, decays }: DeltaInputs,
  state: mx.MxArray,
  [causal, ...solving]: BlockMask,
): DeltaPass {
  const rows = values.shape[2] ?? 0;
  const keys = mx.slice(queriesAndKeys, 2, rows, 2 * rows);
  const recalled = mx.matmul(queriesAndKeys, state); // [Hk, R, 2 · rows, valueDim]
  const similarities = mx.matmul(queriesAndKeys, swapLastAxes(keys)); // [Hk, 1, 2 · rows, rows]
  const logRemaining = mx.cumsum(decays, 2);
  const remaining = mx.exp(logRemaining); // share of the state that is left at each row
  const oldValues = mx.multiply(remaining, mx.slice(recalled, 2, rows, 2 * rows));
  const changes = mx.multiply(rates, mx.subtract(values, oldValues));
  const byQuery = mx.slice(similarities, 2, 0, rows);
  // Rows recall the changes of earlier rows of the block, decayed in between: [Hk, R, rows, rows].
  const fading = causal && mx.exp(mx.add(mx.subtract(logRemaining, swapLastAxes(logRemaining)), causal));
  const lower = fading && mx.multiply(mx.multiply(rates, fading), mx.slice(similarities, 2, rows, 2 * rows));
  const deltas = lower ? solveLower(lower, changes, solving) : changes;
  const added = mx.matmul(fading ? mx.multiply(fading, byQuery) : byQuery, deltas);
  const outputs = mx.add(mx.multiply(remaining, mx.slice(recalled, 2, 0, rows)), added);
  return { outputs, rows: { keys, deltas, decays } };
}

/** Returns the state after all of `rows`, given the `state` before them. */
export function advance(state: mx.MxArray, { keys, deltas, decays }: DeltaRows): mx.MxArray {
  const rows = deltas.shape[2] ?? 0;
  const logRemaining = mx.cumsum(decays, 2);
  const logTotal = mx.slice(logRemaining, 2, rows - 1, rows);
  const faded = rows === 1 ? deltas : mx.multiply(mx.exp(mx.subtract(logTotal, logRemaining)), deltas);
  return mx.add(mx.multiply(mx.exp(logTotal), state), mx.matmul(swapLastAxes(keys), faded));
}

function swapLastAxes(a: mx.MxArray): mx.MxArray {
  return mx.transpose(a, 0, 1, 3, 2);
}

/**
 * Solves (I + L) x = b for the strictly lower part L of small square matrices `lower` [..., rows, rows] and `b`
 * [..., rows, n], for all heads together. Each step inverts blocks of twice the size. A sum of powers of L would be
 * simpler, but its terms cancel badly if keys are alike.
 */
function solveLower(
  lower: mx.MxArray,
  b: mx.MxArray,
  [identity, smallest, ...larger]: readonly mx.MxArray[],
): mx.MxArray {
  if (identity === undefined || smallest === undefined) return b;
  let inverse = mx.subtract(identity, mx.multiply(lower, smallest));
  for (const quarter of larger) {
    const between = mx.matmul(mx.matmul(inverse, mx.multiply(lower, quarter)), inverse);
    inverse = mx.subtract(inverse, between);
  }
  return mx.matmul(inverse, b);
}
