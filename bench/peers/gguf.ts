// Writes a GGUF file of version 3: metadata, a list of tensors, and their data at aligned places; little-endian, as are
// the machines that run this. Knows nothing about what the metadata or the tensors mean.
import { closeSync, openSync, writeSync } from 'node:fs';
import { Q8_BLOCK, Q8_BLOCK_BYTES, quantiseQ8 } from './quantiseQ8';

export const GGUF_ALIGNMENT = 32;

/** Its number, and the bytes of so many values. */
const TENSOR_TYPES = {
  f32: { number: 0, bytes: (count: number) => 4 * count },
  q8_0: { number: 8, bytes: (count: number) => (count / Q8_BLOCK) * Q8_BLOCK_BYTES },
} as const;

export type GgufType = keyof typeof TENSOR_TYPES;

/** Whole numbers have 32 bits, without a sign but in a list. */
export type GgufValue =
  number | { readonly f32: number } | boolean | string | readonly string[] | readonly number[];

export interface GgufTensor {
  readonly name: string;
  /** Rows before columns, as in the checkpoint; the file has the opposite order. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  /** Called when it is written, so that only one tensor at a time is in memory. */
  readonly values: () => Float32Array;
}

export interface GgufContent {
  readonly metadata: Readonly<Record<string, GgufValue>>;
  readonly tensors: readonly GgufTensor[];
}

/** Throws RangeError when a tensor does not have the values that its shape promises. */
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

/** The number of its type, then the value. */
function valueBytes(value: GgufValue): Buffer {
  if (typeof value === 'number') return Buffer.concat([u32(4), u32(value)]);
  if (typeof value === 'boolean') return Buffer.concat([u32(7), Buffer.of(Number(value))]);
  if (typeof value === 'string') return Buffer.concat([u32(8), text(value)]);
  if ('f32' in value) return Buffer.concat([u32(6), Buffer.from(Float32Array.of(value.f32).buffer)]);
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)));
  const type = typeof value[0] === 'string' ? 8 : 5;
  return Buffer.concat([u32(9), u32(type), u64(items.length), ...items]);
}

function u32(value: number): Buffer {
  return Buffer.from(Uint32Array.of(value).buffer);
}

function u64(value: number): Buffer {
  return Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
}

/** UTF-8 after its length in bytes. */
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
