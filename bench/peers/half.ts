// Numbers of 16 bits (IEEE 754 binary16) to and from JavaScript numbers.
// JavaScript has no such array before Node 24.

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The 16-bit pattern nearest to `value` after it is rounded to float32; ties go to the even one. */
export function halfBits(value: number): number {
  float[0] = value;
  const pattern = bits[0] ?? 0;
  const sign = (pattern >>> 16) & 0x8000;
  const size = pattern & 0x7fffffff;
  if (size > 0x7f800000) return sign | 0x7e00;
  // From halfway between the largest half and the next power of two.
  if (size >= 0x477ff000) return sign | 0x7c00;
  // Below the smallest normal half all halves are multiples of 2^-24.
  if (size < 0x38800000) return sign | roundToEven(Math.abs(float[0]) * 2 ** 24);
  const odd = (size >>> 13) & 1;
  return sign | ((size - 0x38000000 + 0xfff + odd) >>> 13);
}

export function halfValue(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
}
