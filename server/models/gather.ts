// The array operations of sparse networks: choosing experts for each row, and products that gather the weights of
// every row from many. The adapter over both releases, as ops.ts is for all other operations.
import { core } from './binding';
import { track } from './memory';
import type { MxArray } from './mlxCore';
import { astype, constant, int32, slice } from './ops';

/** Which expert each of some rows goes to. */
export interface Visits {
  /** Integers [pairs]; every one must be below the number of experts, the native code does not check. */
  readonly experts: MxArray;
  /** Whether the indices ascend, so that rows of the same expert follow each other. */
  readonly sorted: boolean;
}

/**
 * Row i of `x` [pairs, 1, in], or its only row [1, 1, in], times matrix `experts[i]` of `w` [count, in, out]:
 * [pairs, 1, out].
 */
export function gatherMatmul(x: MxArray, w: MxArray, { experts, sorted }: Visits): MxArray {
  return track(
    core.gatherMM ? core.gatherMM(x, w, null, experts, sorted) : core.blockSparseMM(x, w, null, experts),
  );
}

/** The same for packed weights `w` of [count, out, in], with their scales and biases. */
export function gatherQuantisedMatmul(
  x: MxArray,
  w: MxArray,
  scales: MxArray,
  biases: MxArray,
  group: number,
  bits: number,
  { experts, sorted }: Visits,
): MxArray {
  return track(
    core.gatherQMM
      ? core.gatherQMM(x, w, scales, biases, null, experts, true, group, bits, sorted)
      : core.blockSparseQMM(x, w, scales, biases, null, experts, true, group, bits),
  );
}

/** Indices of the `count` largest values along the last axis of `a` [rows, n], uint32, in no particular order. */
export function largest(a: MxArray, count: number): MxArray {
  const size = a.shape[1] ?? 0;
  return slice(track(core.argpartition(a, size - count, -1)), 1, size - count, size);
}

/** The values of `a` [rows, n] at `indices` [rows, k]. */
export const valuesAt = (a: MxArray, indices: MxArray): MxArray => track(core.takeAlongAxis(a, indices, -1));
/**
 * Positions of the integers of `a` [n] in ascending order, uint32. Of a view with gaps, 0.0.7 would write the result
 * with the same gaps, out of its buffer: the cast makes a copy.
 */
export const ascending = (a: MxArray): MxArray => track(core.argsort(astype(a, int32), -1));
/** Whole quotients of unsigned integers. */
export const divide = (a: MxArray, divisor: number): MxArray =>
  track(core.floorDivide(a, constant(divisor, a.dtype)));
