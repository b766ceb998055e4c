// The array operations that gather: choosing the largest of many values, such as the experts of each row, and products
// that gather the weights of every row from many.
import { core } from './binding';
import { track } from './memory';
import type { MxArray } from './mlxCore';
import { add, astype, concatenate, constant, int32, ofType, reshape, slice, type Quantised } from './ops';

/**
 * Row i of `x` [pairs, 1, in], or its only row [1, 1, in], times matrix `experts[i]` of `w` [count, in, out]:
 * [pairs, 1, out]. The integers `experts` [pairs] must be below `count`, as the native code does not check.
 */
export const gatherMatmul = (x: MxArray, w: MxArray, experts: MxArray): MxArray =>
  track(core.blockSparseMM(x, w, null, experts));

/** The same for packed weights `w` of [count, out, in]. */
export function gatherQuantisedMatmul(x: MxArray, w: Quantised, experts: MxArray): MxArray {
  const { weight, scales, biases, groupSize: group, bits } = w;
  const product = core.blockSparseQMM(x, weight, scales, biases, null, experts, true, group, bits);
  return ofType(track(product), w.result);
}

/** Indices of the `count` largest values along the last axis of `a` [rows, n], uint32, in no particular order. */
export function largest(a: MxArray, count: number): MxArray {
  const size = a.shape[1] ?? 0;
  return slice(track(core.argpartition(a, size - count, -1)), 1, size - count, size);
}

/** The values of `a` [rows, n] at `indices` [rows, k]. */
export const valuesAt = (a: MxArray, indices: MxArray): MxArray => track(core.takeAlongAxis(a, indices, -1));
/**
 * Positions of the integers of `a` [n] in ascending order, uint32. For a view with gaps, node-mlx would write the result
 * with the same gaps, outside its buffer: the cast makes a copy.
 */
export const ascending = (a: MxArray): MxArray => track(core.argsort(astype(a, int32), -1));
/** Positions of the values of `a` [rows, n] in falling order, uint32. */
export const falling = (a: MxArray): MxArray => track(core.argsort(track(core.multiply(a, -1)), -1));
/** Whole quotients of unsigned integers. */
export const divide = (a: MxArray, divisor: number): MxArray =>
  track(core.floorDivide(a, constant(divisor, a.dtype)));

/** Gathering a value and partitioning it takes this many times as long as partitioning one in place. */
const GATHERING = 4;
/** Narrower chunks would leave too much to partition. */
const MIN_WIDTH = 4;

/**
 * Indices of the `count` largest of very many values along the last axis of `a` [rows, n], as over a vocabulary: uint32
 * [rows, count], in no particular order. A partition of all of them would move each value and an index beside it; this
 * one looks only into the chunks whose maxima are largest. Exact: each of the values is in one of the `count` chunks
 * with the largest maxima, or equals as many values there.
 */
export function largestOfMany(a: MxArray, count: number): MxArray {
  const [rows = 0, size = 0] = a.shape;
  // As much work for the maxima, size / width of them, as for the count · width values of the chosen chunks.
  const width = Math.floor(Math.sqrt(size / (GATHERING * count)));
  if (width < MIN_WIDTH) return largest(a, count);
  const chunks = Math.floor(size / width);
  const whole = width * chunks;
  // A chunk is every `chunks`-th value: maxima across rows are a vector operation, those along a row are not.
  const inChunks = reshape(whole < size ? slice(a, 1, 0, whole) : a, rows, width, chunks);
  const chosen = largest(track(core.max(inChunks, 1, false)), count);
  const offsets = constant(
    Array.from({ length: width }, (_, i) => i * chunks),
    chosen.dtype,
  );
  const candidates = reshape(add(reshape(chosen, rows, count, 1), offsets), rows, count * width);
  const rest = Array.from({ length: size - whole }, (_, i) => whole + i);
  const all =
    rest.length > 0
      ? concatenate([candidates, constant(Array<number[]>(rows).fill(rest), chosen.dtype)], 1)
      : candidates;
  return valuesAt(all, largest(valuesAt(a, all), count));
}
