// Writes a GGUF file of version 3: metadata, a list of tensors, and their data at aligned places.
// Knows nothing about what the metadata or the tensors mean.
import { closeSync, openSync, writeSync } from 'node:fs';
import { text, u32, u64, type GgufValue } from './ggufValue';
import { Q8_BLOCK, Q8_BLOCK_BYTES, quantiseQ8 } from './quantiseQ8';

export const GGUF_ALIGNMENT = 32;
const VERSION = 3;
const TYPE_NUMBERS = { f32: 0, q8_0: 8 } as const;

export type GgufType = keyof typeof TYPE_NUMBERS;

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
  const parts = [Buffer.from('GGUF'), u32(VERSION), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) parts.push(text(key), value);
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    parts.push(text(name), u32(shape.length), ...[...shape].reverse().map(u64));
    parts.push(u32(TYPE_NUMBERS[type]), u64(offset));
    offset = aligned(offset + byteLength(shape, type));
  }
  return Buffer.concat(parts);
}

function encoded({ name, shape, type, values }: GgufTensor): Uint8Array {
  const numbers = values();
  if (numbers.length !== count(shape)) {
    throw new RangeError(`Expected ${String(count(shape))} values of ${name}, got ${String(numbers.length)}`);
  }
  if (type === 'q8_0') return quantiseQ8(numbers);
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function writeAligned(descriptor: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) from += writeSync(descriptor, bytes, from);
  writeSync(descriptor, Buffer.alloc(aligned(bytes.length) - bytes.length));
}

function byteLength(shape: readonly number[], type: GgufType): number {
  return type === 'f32' ? 4 * count(shape) : (count(shape) / Q8_BLOCK) * Q8_BLOCK_BYTES;
}

function count(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function aligned(length: number): number {
  return Math.ceil(length / GGUF_ALIGNMENT) * GGUF_ALIGNMENT;
}
