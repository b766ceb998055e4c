// Writes a GGUF file of version 3: metadata, a list of tensors, and their data at aligned offsets; little-endian, like
// the machines that run this. Does not know the meaning of metadata and tensors.
import { closeSync, openSync, writeSync } from 'node:fs';
import { Q8_BLOCK, Q8_BLOCK_BYTES, quantiseQ8 } from './quantiseQ8';

export const GGUF_ALIGNMENT = 32;

/** Tensor types with their number in GGUF and the bytes of `count` values. */
const TENSOR_TYPES = {
  f32: { number: 0, bytes: (count: number) => 4 * count },
  q8_0: { number: 8, bytes: (count: number) => (count / Q8_BLOCK) * Q8_BLOCK_BYTES },
} as const;

export type GgufType = keyof typeof TENSOR_TYPES;

/** Numbers in GGUF of the types of metadata. */
const VALUE_TYPES = { uint32: 4, int32: 5, float32: 6, boolean: 7, string: 8, list: 9 } as const;

/** Value of metadata. Numbers are 32-bit integers, unsigned except in a list. */
export type GgufValue =
  number | { readonly f32: number } | boolean | string | readonly string[] | readonly number[];

export interface GgufTensor {
  readonly name: string;
  /** Shape with rows before columns, as in the checkpoint; the file has the opposite order. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  /** Returns the values. Called when the tensor is written, so that only one at a time is in memory. */
  readonly values: () => Float32Array;
}

export interface GgufContent {
  readonly metadata: Readonly<Record<string, GgufValue>>;
  readonly tensors: readonly GgufTensor[];
}

/** Writes a file. Throws RangeError if the values of a tensor do not fit its shape. */
export function writeGguf(file: string, { metadata, tensors }: GgufContent): void {
  const descriptor = openSync(file, 'w');
  try {
    writeAligned(descriptor, header(metadata, tensors));
    for (const tensor of tensors) writeAligned(descriptor, encoded(tensor));
  } finally {
    closeSync(descriptor);
  }
}

function header(metadata: GgufContent['metadata'], tensors: readonly GgufTensor[]): Buffer {
  const entries = Object.entries(metadata);
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), valueBytes(value));
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    const { number, bytes } = TENSOR_TYPES[type];
    parts.push(text(name), u32(shape.length), ...shape.toReversed().map(u64), u32(number), u64(offset));
    offset = aligned(offset + bytes(count(shape)));
  }
  return Buffer.concat(parts);
}

/** Encodes the number of the type, then the value. */
function valueBytes(value: GgufValue): Buffer {
  const typed = (type: keyof typeof VALUE_TYPES, ...parts: Buffer[]): Buffer =>
    Buffer.concat([u32(VALUE_TYPES[type]), ...parts]);
  if (typeof value === 'number') return typed('uint32', u32(value));
  if (typeof value === 'boolean') return typed('boolean', Buffer.of(Number(value)));
  if (typeof value === 'string') return typed('string', text(value));
  if ('f32' in value) return typed('float32', Buffer.from(Float32Array.of(value.f32).buffer));
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)));
  const itemType = typeof value[0] === 'string' ? VALUE_TYPES.string : VALUE_TYPES.int32;
  return typed('list', u32(itemType), u64(items.length), ...items);
}

function u32(value: number): Buffer {
  return Buffer.from(Uint32Array.of(value).buffer);
}

function u64(value: number): Buffer {
  return Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
}

/** Encodes a text: its length in bytes, then UTF-8. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function encoded({ name, shape, type, values }: GgufTensor): Uint8Array {
  const numbers = values();
  if (numbers.length !== count(shape))
    throw new RangeError(`Expected ${String(count(shape))} values of ${name}, got ${String(numbers.length)}`);
  return type === 'q8_0' ? quantiseQ8(numbers) : new Uint8Array(numbers.buffer);
}

function writeAligned(descriptor: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) from += writeSync(descriptor, bytes, from);
  writeSync(descriptor, Buffer.alloc(aligned(bytes.length) - bytes.length));
}

function count(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function aligned(length: number): number {
  return Math.ceil(length / GGUF_ALIGNMENT) * GGUF_ALIGNMENT;
}
