// llama.cpp's q8_0: blocks of 32 numbers, each a half-precision scale and 32 signed bytes.
// Knows nothing about files or tensors.
import { halfBits } from './half';

export const Q8_BLOCK = 32;
export const Q8_BLOCK_BYTES = 2 + Q8_BLOCK;
const MOST = 127;

/** `values` in whole blocks; the largest number of a block becomes 127 or -127. */
export function quantiseQ8(values: Float32Array): Uint8Array {
  if (values.length % Q8_BLOCK !== 0) {
    throw new RangeError(`Expected a multiple of ${String(Q8_BLOCK)} values, got ${String(values.length)}`);
  }
  const blocks = values.length / Q8_BLOCK;
  const bytes = new Uint8Array(blocks * Q8_BLOCK_BYTES);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < blocks; block++) {
    const numbers = values.subarray(block * Q8_BLOCK, (block + 1) * Q8_BLOCK);
    const at = block * Q8_BLOCK_BYTES;
    const scale = largest(numbers) / MOST;
    view.setUint16(at, halfBits(scale), true);
    // A block of zeros stays zeros.
    if (scale > 0) numbers.forEach((value, i) => view.setInt8(at + 2 + i, Math.round(value / scale)));
  }
  return bytes;
}

function largest(values: Float32Array): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}
