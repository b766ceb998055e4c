// Quantises to llama.cpp's q8_0: blocks of 32 numbers, each a 16-bit scale and 32 signed bytes. Also converts to and
// from 16-bit floats (IEEE 754 binary16), for which JavaScript has no array before Node 24.

export const Q8_BLOCK = 32;
export const Q8_BLOCK_BYTES = 2 + Q8_BLOCK;
const MAX_CODE = 127;

/** Quantises whole blocks; the number with the largest magnitude in a block becomes 127 or -127. */
export function quantiseQ8(values: Float32Array): Uint8Array {
  const blocks = values.length / Q8_BLOCK;
  const view = new DataView(new ArrayBuffer(blocks * Q8_BLOCK_BYTES));
  for (let block = 0; block < blocks; block++) {
    const numbers = values.subarray(block * Q8_BLOCK, (block + 1) * Q8_BLOCK);
    const at = block * Q8_BLOCK_BYTES;
    const scale = numbers.reduce((max, value) => Math.max(max, Math.abs(value)), 0) / MAX_CODE;
    view.setUint16(at, halfBits(scale), true);
    // A block of zeros stays zero.
    if (scale > 0) numbers.forEach((value, i) => view.setInt8(at + 2 + i, Math.round(value / scale)));
  }
  return new Uint8Array(view.buffer);
}

/** Rounds a number from 0 to 65504 to float32 and then to the nearest half, ties to even; returns its bits. */
function halfBits(value: number): number {
  // Below the smallest normal half, all halves are multiples of 2^-24.
  const exponent = Math.max(Math.floor(Math.log2(value)), -14);
  const fraction = Math.fround(value) / 2 ** (exponent - 10);
  const floor = Math.floor(fraction);
  const rest = fraction - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return (exponent + 14) * 1024 + floor + Number(isUp);
}

/** Converts the bits of a finite half to its value. */
export function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
