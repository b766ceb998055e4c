// The array operations that Flashline uses, each result tracked by memory.ts. Imported as `mx`, so that models read
// like mlx-lm: `mx.matmul(x, w)`. Operations of MLX have its names, and work along the last axis if they do not take one.
// All but `assign` are lazy; `numbers` and `rows` read evaluated arrays.
import { core } from './binding';
import type { Dtype, MxArray, Slice } from './addonTypes';
import { scope, track } from './memory';

export type { Dtype, MxArray } from './addonTypes';

export const { float16, float32, int32 } = core;

/** Packed weights of mlx-community checkpoints: w = scale · q + bias per group of `groupSize` inputs. */
export interface Quantised {
  readonly weight: MxArray;
  readonly scales: MxArray;
  readonly biases: MxArray;
  readonly groupSize: number;
  readonly bits: number;
  /** Type of its rows and of products with it, if that differs from the type of the scales. */
  readonly result?: Dtype | undefined;
}

/** Attention mask: none, or additive and broadcastable to [L, S]. */
export type Mask = MxArray | undefined;

export const subtract = (a: MxArray, b: MxArray): MxArray => track(core.subtract(a, b));
/** a + b; a number takes the type of `a` if that is a type of floats. */
export const add = (a: MxArray, b: MxArray | number): MxArray => track(core.add(a, b));
export const multiply = (a: MxArray, b: MxArray | number): MxArray => track(core.multiply(a, b));
export const tanh = (a: MxArray): MxArray => track(core.tanh(a));
/** Softmax along the last axis, accumulated in float32. */
export const softmax = (a: MxArray): MxArray => track(core.softmax(a, -1, true));
export const cos = (a: MxArray): MxArray => track(core.cos(a));
export const sin = (a: MxArray): MxArray => track(core.sin(a));
export const lessEqual = (a: MxArray, b: MxArray): MxArray => track(core.lessEqual(a, b));
export const exp = (a: MxArray): MxArray => track(core.exp(a));
/** Running sums along `axis`. */
export const cumsum = (a: MxArray, axis: number): MxArray => track(core.cumsum(a, axis));
/** log(1 + exp(a)) */
export const softplus = (a: MxArray): MxArray => track(core.logaddexp(a, 0));
/** Copies into a new buffer; a view keeps the whole buffer that it was cut from. */
export const copy = (a: MxArray): MxArray => track(core.add(a, 0));
export const less = (a: MxArray, b: MxArray): MxArray => track(core.less(a, b));
export const equal = (a: MxArray, b: MxArray): MxArray => track(core.equal(a, b));
/** Compares two arrays of one shape: one boolean. */
export const arrayEqual = (a: MxArray, b: MxArray): MxArray => track(core.all(track(core.equal(a, b))));
export const where = (condition: MxArray, x: MxArray, y: MxArray): MxArray =>
  track(core.where(condition, x, y));
/** Largest values along `axis`, which is removed or, with `keepdims`, gets the length 1. */
export const max = (a: MxArray, axis: number, keepdims = false): MxArray =>
  track(core.max(a, axis, keepdims));
export const logicalAnd = (a: MxArray, b: MxArray): MxArray => track(core.logicalAnd(a, b));
export const logicalOr = (a: MxArray, b: MxArray): MxArray => track(core.logicalOr(a, b));
export const matmul = (a: MxArray, b: MxArray): MxArray => track(core.matmul(a, b));
export const astype = (a: MxArray, dtype: Dtype): MxArray => track(a.astype(dtype));
export const reshape = (a: MxArray, ...shape: number[]): MxArray => track(a.reshape(shape));
export const transpose = (a: MxArray, ...axes: number[]): MxArray => track(a.transpose(...axes));
/** Zeros of that shape: a view in which one value repeats. */
export const zeros = (shape: readonly number[], dtype: Dtype): MxArray => track(core.zeros(shape, dtype));
/** Takes the entries `ids` of `a` along `axis`, by default rows. The caller must check `ids`; the native code does not. */
export const take = (a: MxArray, ids: MxArray, axis = 0): MxArray => track(core.take(a, ids, axis));
/** Indices of the largest values along the last axis, uint32; the lowest index wins a tie. */
export const argmax = (a: MxArray): MxArray => track(core.argmax(a, -1));
/** Natural logarithm of the largest probability along the last axis of logits. */
export const topLogProbability = (logits: MxArray): MxArray =>
  track(core.subtract(track(core.max(logits, -1, false)), track(core.logsumexp(logits, -1, false))));
/** Largest probability along the last axis of logits; costs half as much as its logarithm. */
export const topProbability = (logits: MxArray): MxArray => track(core.max(softmax(logits), -1, false));
export const concatenate = (arrays: readonly MxArray[], axis: number): MxArray =>
  track(core.concatenate(arrays, axis));
export const rmsNorm = (x: MxArray, weight: MxArray, eps: number): MxArray =>
  track(core.fast.rmsNorm(x, weight, eps));

export interface RopeForm {
  /** Rotated dimensions of each row, from the first. */
  readonly dims: number;
  readonly base: number;
  /** Factor of all positions. */
  readonly scale: number;
}

/** Half-split rotary embedding of [..., L, D]; row i is at position (offset + i) · scale. */
export const rope = (x: MxArray, offset: number, { dims, base, scale }: RopeForm): MxArray =>
  track(core.fast.rope(x, dims, false, base, scale, offset));
/** Unpacks weights to [.., out, in]. */
export const dequantize = ({ weight, scales, biases, groupSize, bits, result }: Quantised): MxArray =>
  ofType(track(core.dequantize(weight, scales, biases, groupSize, bits)), result);
/** x · dequantize(w)ᵀ; the binding requires every argument, by position. */
export const quantizedMatmul = (x: MxArray, w: Quantised): MxArray =>
  ofType(track(core.quantizedMatmul(x, w.weight, w.scales, w.biases, true, w.groupSize, w.bits)), w.result);

function ofType(a: MxArray, dtype: Dtype | undefined): MxArray {
  return dtype ? astype(a, dtype) : a;
}

export const sigmoid = (a: MxArray): MxArray => track(core.sigmoid(a));

/** x · sigmoid(x), written out: the package's silu is compiled, which aborts the process on a CPU without g++. */
export const silu = (x: MxArray): MxArray => multiply(x, sigmoid(x));

const GELU_SLOPE = 2 * Math.sqrt(2 / Math.PI);

/** Computes the tanh form of GELU: x / 2 · (1 + tanh(u)) is x · sigmoid(2u), with u = √(2/π) · (x + 0.044715 x³). */
export function gelu(x: MxArray): MxArray {
  const bend = add(multiply(multiply(x, x), 0.044715 * GELU_SLOPE), GELU_SLOPE);
  return multiply(x, sigmoid(multiply(x, bend)));
}

/** [start, stop) as int32. */
export const arange = (start: number, stop: number): MxArray => track(core.arange(start, stop, 1, int32));

/** Small array of JavaScript numbers, which pass through float32: integers are exact up to 2^24. */
export const array = (
  values: number | readonly number[] | readonly (readonly number[])[],
  dtype: Dtype,
): MxArray => track(new core.array(values, dtype));

const WHOLE_AXIS = new core.Slice();

/** Builds the native index of [from, to) along `axis`. */
function indexOf(axis: number, from: number, to: number): Slice[] {
  return [...Array<Slice>(axis).fill(WHOLE_AXIS), new core.Slice(from, to)];
}

/** Returns a view of [from, to) along `axis`. */
export function slice(a: MxArray, axis: number, from: number, to: number): MxArray {
  return track(a.index(...indexOf(axis, from, to)));
}

/** A range of rows, [from, to) along `axis`. */
export interface Region {
  readonly axis: number;
  readonly from: number;
  readonly to: number;
}

/** Writes `values` into a region of `a`, in place if nothing else holds its buffer. Not lazy. */
export function assign(a: MxArray, { axis, from, to }: Region, values: MxArray): void {
  a.indexPut_(indexOf(axis, from, to), values);
}

/** Keys and values of attention, [1, heads, rows, headDim] each. */
export type KeysValues = Readonly<Record<'keys' | 'values', MxArray>>;

/**
 * Computes softmax(q·kᵀ·scale + mask)·v, [1, H, L, D], for queries [1, H, L, D] and keys and values [1, Hkv, S, D] with
 * S > 0, where H is a multiple of Hkv.
 */
export function scaledDotProductAttention(
  queries: MxArray,
  { keys, values }: KeysValues,
  scale: number,
  mask: Mask,
): MxArray {
  // The binding silently ignores a wrong trailing argument, so no mask means no argument.
  return track(
    mask === undefined
      ? core.fast.scaledDotProductAttention(queries, keys, values, scale)
      : core.fast.scaledDotProductAttention(queries, keys, values, scale, mask),
  );
}

/** Returns 0 where `visible`, -Infinity elsewhere: node-mlx would add a boolean mask as 0 and 1. */
export function additiveMask(visible: MxArray, dtype: Dtype): MxArray {
  return track(core.where(visible, array(0, dtype), array(-Infinity, dtype)));
}

/**
 * Returns a function that builds the arrays of `build` by one native call. `build` runs once per combination of shapes;
 * it must not read values, and whatever it uses besides its inputs is frozen then. Returns `build` itself if the addon
 * cannot compile.
 */
export function compile<Inputs extends MxArray[], Outputs extends MxArray[]>(
  build: (...inputs: Inputs) => Outputs,
): (...inputs: Inputs) => Outputs {
  const repeat = core.compile?.((...inputs: Inputs) => scope(() => build(...inputs)));
  return repeat ? (...inputs) => repeat(...inputs).map(track) as Outputs : build;
}

/**
 * Opens a safetensors file; its tensors are read when they are evaluated. Check the file with readSafetensors first.
 */
export function load(file: string): Map<string, MxArray> {
  const object = core.load(file, 'safetensors');
  const tensors = new Map(Object.entries(object));
  // A tensor called __proto__ becomes the prototype of the addon's object.
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype instanceof core.array) tensors.set('__proto__', prototype);
  tensors.forEach(track);
  return tensors;
}

/** Returns the values of an evaluated one-dimensional array. */
export function numbers(a: MxArray): number[] {
  const values = a.tolist();
  if (areNumbers(values)) return values;
  throw new TypeError(`Expected a one-dimensional array, got shape [${a.shape.join(', ')}]`);
}

/** Returns the values of an evaluated two-dimensional array, row by row. */
export function rows(a: MxArray): number[][] {
  const values = a.tolist();
  if (Array.isArray(values) && values.every(areNumbers)) return values;
  throw new TypeError(`Expected a two-dimensional array, got shape [${a.shape.join(', ')}]`);
}

function areNumbers(values: unknown): values is number[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'number');
}

/**
 * Row i of `x` [pairs, 1, in], or its only row [1, 1, in], times matrix `experts[i]` of `w` [count, in, out]:
 * [pairs, 1, out]. The integers `experts` [pairs] must be below `count`, as the native code does not check.
 */
export const gatherMM = (x: MxArray, w: MxArray, experts: MxArray): MxArray =>
  track(core.blockSparseMM(x, w, null, experts));

/** Computes `gatherMM` for packed weights `w` of [count, out, in]. */
export function gatherQMM(x: MxArray, w: Quantised, experts: MxArray): MxArray {
  const { weight, scales, biases, groupSize: group, bits } = w;
  const product = core.blockSparseQMM(x, weight, scales, biases, null, experts, true, group, bits);
  return ofType(track(product), w.result);
}

/** Indices of the `count` largest values along the last axis of `a` [rows, n], uint32, in no particular order. */
export function largestIndices(a: MxArray, count: number): MxArray {
  const size = a.shape[1] ?? 0;
  return slice(track(core.argpartition(a, size - count, -1)), 1, size - count, size);
}

/** Values of `a` [rows, n] at `indices` [rows, k]. */
export const takeAlongAxis = (a: MxArray, indices: MxArray): MxArray =>
  track(core.takeAlongAxis(a, indices, -1));
/**
 * Positions of the integers of `a` [n] in ascending order, uint32. The cast copies: for a view with gaps, node-mlx
 * would write the result with the same gaps, outside its buffer.
 */
export const argsort = (a: MxArray): MxArray => track(core.argsort(astype(a, int32), -1));
/** Positions of the values of `a` [rows, n] in descending order, uint32. */
export const argsortDescending = (a: MxArray): MxArray =>
  track(core.argsort(track(core.multiply(a, -1)), -1));
/** Quotients of unsigned integers, rounded down. */
export const floorDivide = (a: MxArray, divisor: number): MxArray =>
  track(core.floorDivide(a, array(divisor, a.dtype)));
