// Unpacks weights: by the native kernel if it can read their bits per weight, otherwise by shifts of words. A weight is
// scale · code + bias, with scale and bias of its group of inputs. Codes are stored one after the other from the lowest
// bit on, across words.
import { core } from '../mlx/binding';
import { track } from '../mlx/memory';
import * as mx from '../mlx/ops';

/** Bits of a word of packed weights. */
export const WORD_BITS = 32;
/** Bits per weight that the native kernels can read. */
const KERNEL_BITS = [2, 4, 8];

/** Returns whether the native kernels can read weights of this many bits as they are stored. */
export function hasKernel(bits: number): boolean {
  return KERNEL_BITS.includes(bits);
}

/** Returns the log line about weights that no kernel can read. */
export function expandedNote(directory: string, widths: readonly number[]): string {
  const found = widths.toSorted((a, b) => a - b).join(', ');
  const packed = KERNEL_BITS.join(', ');
  return `weights with ${found} bits are expanded, as only ${packed} stay packed, in ${directory}`;
}

/** Unpacks weights to [.., in], in the type of the scales. */
export function expanded(packed: mx.Quantised): mx.MxArray {
  const { weight, scales, biases, groupSize, bits } = packed;
  if (hasKernel(bits)) return mx.dequantize(packed);
  const groups = [...scales.shape, 1];
  const codes = mx.reshape(mx.astype(codesOf(weight, bits), scales.dtype), ...scales.shape, groupSize);
  const weights = mx.add(mx.multiply(codes, mx.reshape(scales, ...groups)), mx.reshape(biases, ...groups));
  return mx.reshape(weights, ...scales.shape.slice(0, -1), -1);
}

/** Unpacks the words of all rows to codes [n, 32]: each of the n groups of `bits` words holds 32 whole codes. */
function codesOf(words: mx.MxArray, bits: number): mx.MxArray {
  const rows = mx.reshape(words, -1, bits);
  const mask = integer(2 ** bits - 1);
  const codes = Array.from({ length: WORD_BITS }, (_, code) => {
    const word = Math.floor((code * bits) / WORD_BITS);
    const shift = (code * bits) % WORD_BITS;
    const low = track(core.rightShift(mx.slice(rows, 1, word, word + 1), integer(shift)));
    if (shift + bits <= WORD_BITS) return track(core.bitwiseAnd(low, mask));
    // The code continues in the next word.
    const high = track(core.leftShift(mx.slice(rows, 1, word + 1, word + 2), integer(WORD_BITS - shift)));
    return track(core.bitwiseAnd(track(core.bitwiseOr(low, high)), mask));
  });
  return mx.concatenate(codes, 1);
}

function integer(value: number): mx.MxArray {
  return mx.array(value, core.uint32);
}
