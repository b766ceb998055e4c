// Reads GGUF files by their specification: the independent other side of the writer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export interface ReadTensor {
  /** As in the file: the innermost size first. */
  readonly sizes: readonly number[];
  readonly type: number;
  /** Where its data begins, counted from the beginning of the file. */
  readonly at: number;
}

export interface ReadGguf {
  readonly bytes: Buffer;
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly tensors: ReadonlyMap<string, ReadTensor>;
}

export function readGguf(file: string): ReadGguf {
  const bytes = readFileSync(file);
  let at = 0;
  const move = (length: number): number => (at += length) - length;
  const u32 = (): number => bytes.readUInt32LE(move(4));
  const u64 = (): number => Number(bytes.readBigUInt64LE(move(8)));
  const text = (): string => {
    const length = u64();
    const from = move(length);
    return bytes.toString('utf8', from, from + length);
  };
  const value = (type: number): unknown => {
    if (type === 4) return u32();
    if (type === 5) return bytes.readInt32LE(move(4));
    if (type === 6) return bytes.readFloatLE(move(4));
    if (type === 7) return bytes.readUInt8(move(1)) === 1;
    if (type === 8) return text();
    assert.equal(type, 9, 'a known type');
    const itemType = u32();
    return Array.from({ length: u64() }, () => value(itemType));
  };
  assert.equal(bytes.toString('latin1', move(4), 4), 'GGUF');
  assert.equal(u32(), 3);
  const tensorCount = u64();
  const metadata = new Map<string, unknown>();
  for (let left = u64(); left > 0; left--) metadata.set(text(), value(u32()));
  const listed = Array.from({ length: tensorCount }, () => {
    const name = text();
    const sizes = Array.from({ length: u32() }, u64);
    return { name, sizes, type: u32(), offset: u64() };
  });
  const alignment = Number(metadata.get('general.alignment') ?? 32);
  const start = Math.ceil(at / alignment) * alignment;
  const tensors = new Map(
    listed.map(({ name, sizes, type, offset }) => [name, { sizes, type, at: start + offset }]),
  );
  return { bytes, metadata, tensors };
}

/** The values of a float32 tensor. */
export function floatsOf({ bytes, tensors }: ReadGguf, name: string): number[] {
  const tensor = tensors.get(name);
  assert.equal(tensor?.type, 0, `${name} to be float32`);
  const count = tensor.sizes.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, i) => bytes.readFloatLE(tensor.at + 4 * i));
}
