// Weights in another width than their files store, such as a drafter in 4 bits: it is read for every draft, and being less
// exact costs speed only.
import { core } from '../mlx/binding';
import { track } from '../mlx/memory';
import * as mx from '../mlx/ops';
import type { Device } from '../mlx/device';
import type { Matrix } from '../decoder/linear';
import type { StoredQuantisation } from './quantisation';

/** Which modules of a checkpoint get that many bits per weight. */
export interface Repacking {
  readonly bits: number;
  readonly modules: RegExp;
}

/** As many inputs share a scale. */
const GROUP_SIZE = 64;
/** Weights that are not packed at all. */
const DENSE_BITS = 16;
/** The kernel packs no narrower rows: so many words of 32 bits. */
const FEWEST_WORDS = 32;

/** Whether weights packed that way have `bits` already: rounding them twice would only lose. */
export function hasWidth({ bits, groupSize }: StoredQuantisation, wanted: number): boolean {
  return bits === wanted && groupSize === GROUP_SIZE;
}

/** `matrix` with `bits` per weight, dense where the device wants that; itself where it cannot be packed. Lazy. */
export function repacked(matrix: Matrix, bits: number, { keepsQuantised, dtype }: Device): Matrix {
  if (!('dense' in matrix) && hasWidth(matrix, bits)) return matrix;
  const dense = 'dense' in matrix ? matrix.dense : mx.astype(mx.dequantize(matrix), dtype);
  const columns = dense.shape.at(-1) ?? 0;
  const isPackable = columns % GROUP_SIZE === 0 && (columns * bits) / 32 >= FEWEST_WORDS;
  if (bits === DENSE_BITS || !isPackable) return { dense };
  const [weight, scales, biases] = core.quantize(dense, GROUP_SIZE, bits).map(track);
  if (!weight || !scales || !biases) throw new TypeError('Expected weights, scales and biases of quantize');
  const packed = { weight, scales, biases, groupSize: GROUP_SIZE, bits };
  return keepsQuantised ? packed : { dense: mx.astype(mx.dequantize(packed), dtype) };
}
