// Repacks weights into other bits than their files store. A drafter in 4 bits is read faster for every draft, and being
// less exact costs only acceptance.
import { core } from '../mlx/binding';
import { track } from '../mlx/memory';
import * as mx from '../mlx/ops';
import type { Device } from '../mlx/device';
import type { Matrix } from '../mlx/linear';
import { WORD_BITS } from './packedWeights';
import type { QuantisationParameters } from './quantisation';

export interface Repacking {
  /** Bits per weight; 16 for dense weights. */
  readonly bits: number;
  /** Paths of the modules to repack. */
  readonly modules: RegExp;
}

/** Number of inputs that share a scale. */
const GROUP_SIZE = 64;
const DENSE_BITS = 16;
/** Minimum number of 32-bit words in a row that the kernel can pack. */
const MIN_WORDS = 32;

/** Returns whether packed weights already have `bits` and the group size of repacked ones. */
export function hasWidth(stored: QuantisationParameters, bits: number): boolean {
  return stored.bits === bits && stored.groupSize === GROUP_SIZE;
}

/**
 * Returns `matrix` with `bits` per weight, dense if the device keeps nothing packed. A matrix also becomes dense if its
 * rows are too narrow to pack or cannot be divided into groups. Lazy.
 */
export function repacked(matrix: Matrix, bits: number, { keepsQuantised, dtype }: Device): Matrix {
  const dense = 'dense' in matrix ? matrix.dense : mx.astype(mx.dequantize(matrix), dtype);
  const columns = dense.shape.at(-1) ?? 0;
  const isPackable = columns % GROUP_SIZE === 0 && (columns * bits) / WORD_BITS >= MIN_WORDS;
  if (bits === DENSE_BITS || !isPackable) return { dense };
  const [weight, scales, biases] = core.quantize(dense, GROUP_SIZE, bits).map(track);
  if (!weight || !scales || !biases) throw new TypeError('Expected weights, scales and biases of quantize');
  const packed = { weight, scales, biases, groupSize: GROUP_SIZE, bits };
  return keepsQuantised ? packed : { dense: mx.astype(mx.dequantize(packed), dtype) };
}
