// A tensor as stored in a file: its bytes in each number format, encoded and decoded in JavaScript, independently of
// the native reader.

export type FloatType = 'F32' | 'F16' | 'BF16';

export interface FileTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Creates a tensor of floats. F16 and BF16 need values that they represent exactly. */
export function floatTensor(
  shape: readonly number[],
  values: readonly number[],
  dtype: FloatType = 'F32',
): FileTensor {
  const width = dtype === 'F32' ? 4 : 2;
  const bytes = Buffer.alloc(values.length * width);
  for (const [i, value] of values.entries()) {
    if (dtype === 'F32') bytes.writeFloatLE(value, i * width);
    else bytes.writeUInt16LE(dtype === 'F16' ? halfBits(value) : floatBits(value) >>> 16, i * width);
  }
  return { dtype, shape, bytes };
}

/** Creates a tensor of 16-bit patterns. */
export function bitsTensor(
  shape: readonly number[],
  bits: readonly number[],
  dtype: 'F16' | 'BF16',
): FileTensor {
  return { dtype, shape, bytes: new Uint8Array(Uint16Array.from(bits).buffer) };
}

/** Creates a tensor of 32-bit words, as packed weights are stored. */
export function wordTensor(shape: readonly number[], words: readonly number[]): FileTensor {
  return { dtype: 'U32', shape, bytes: new Uint8Array(Uint32Array.from(words).buffer) };
}

/** Returns the values of a float, I32 or U32 tensor. */
export function tensorValues({ dtype, bytes }: FileTensor): number[] {
  const buffer = Buffer.from(bytes);
  const width = dtype === 'F16' || dtype === 'BF16' ? 2 : 4;
  return Array.from({ length: bytes.length / width }, (_, i) => {
    if (dtype === 'F32') return buffer.readFloatLE(i * width);
    if (dtype === 'I32') return buffer.readInt32LE(i * width);
    if (dtype === 'U32') return buffer.readUInt32LE(i * width);
    if (dtype === 'F16') return halfValue(buffer.readUInt16LE(i * width));
    if (dtype === 'BF16') return bfloatValue(buffer.readUInt16LE(i * width));
    throw new TypeError(`Expected a float, I32 or U32 tensor, got ${dtype}`);
  });
}

function floatBits(value: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes.readUInt32LE();
}

function bfloatValue(bits: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(bits, 2);
  return bytes.readFloatLE();
}

/** Returns the bits of a value that F16 represents exactly, and not as a subnormal number. */
function halfBits(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.round((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
