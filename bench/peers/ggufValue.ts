// The values of GGUF metadata as bytes: a type number, then the value; little-endian, lengths of 64 bits.
// Only the types that a language model needs.

const TYPES = { u32: 4, i32: 5, f32: 6, flag: 7, text: 8, list: 9 } as const;

/** A metadata value that is ready to be written. */
export type GgufValue = Buffer;

export const ggufValue = {
  u32: (value: number): GgufValue => Buffer.concat([u32(TYPES.u32), u32(value)]),
  f32: (value: number): GgufValue => Buffer.concat([u32(TYPES.f32), f32(value)]),
  flag: (value: 'yes' | 'no'): GgufValue =>
    Buffer.concat([u32(TYPES.flag), Buffer.of(value === 'yes' ? 1 : 0)]),
  text: (value: string): GgufValue => Buffer.concat([u32(TYPES.text), text(value)]),
  texts: (values: readonly string[]): GgufValue => list(TYPES.text, values.map(text)),
  i32s: (values: readonly number[]): GgufValue => list(TYPES.i32, values.map(i32)),
} as const;

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** UTF-8 after its length in bytes. */
export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function list(type: number, items: readonly Buffer[]): GgufValue {
  return Buffer.concat([u32(TYPES.list), u32(type), u64(items.length), ...items]);
}
