// Checks a safetensors file before MLX opens it: the native reader turns a truncated or forged file into silent zeros,
// a crash or a hang.
import { closeSync, readSync } from 'node:fs';
import { openRegularFile, type OpenedFile } from '../../machine/regularFile';
import { LFS_INSTEAD, LFS_POINTER } from './lfsPointer';
import { tooManyOpenFiles } from '../../rules/openFiles';
import { quoted, type UserError, WrongValue } from '../../rules/userError';
import { fieldsOf, isRecord, parseJson, type Fields } from '../../rules/json';

/** Bytes of a value, by type. */
const BYTES = {
  F32: 4,
  F16: 2,
  BF16: 2,
  U32: 4,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U16: 2,
  U8: 1,
  BOOL: 1,
} as const;
/** Matches the names of the weight files of a model without an index. */
export const UNINDEXED = /^model.*\.safetensors$/;
/** Longest header: the native reader keeps it on the stack. */
const MAX_HEADER_BYTES = 3_500_000;
/** Size of the number before the header, which is the header's length. */
const LENGTH_BYTES = 8;

export type TensorDtype = keyof typeof BYTES;

export interface TensorInfo {
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  /** Offset of its first byte from the end of the header. */
  readonly start: number;
}

/** Reads and verifies the header of `file`, and returns its tensors by name. Throws UserError. */
export function readSafetensors(file: string): Map<string, TensorInfo> {
  const { descriptor, size } = openWeights(file);
  try {
    // Reads the first bytes of the file.
    const read = (count: number): Buffer => {
      const bytes = Buffer.alloc(count);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, count, 0));
    };
    const end = headerEnd(file, read(LENGTH_BYTES), size);
    return parseTensors(file, read(end), size);
  } finally {
    closeSync(descriptor);
  }
}

function openWeights(file: string): OpenedFile {
  try {
    return openRegularFile(file);
  } catch (cause) {
    const tooMany = tooManyOpenFiles(cause);
    if (tooMany) throw new WrongValue({ expected: `${file} to be opened`, ...tooMany, cause });
    const { code, message } = cause as NodeJS.ErrnoException;
    const got = code === 'ENOENT' ? 'no such file' : (code ?? message);
    throw damaged(file, 'a readable safetensors file', got, cause);
  }
}

/** Returns the offset of the end of the header, given the first bytes of a file of `size` bytes. Throws UserError. */
export function headerEnd(file: string, start: Buffer, size: number): number {
  if (start.length < LENGTH_BYTES) throw damaged(file, 'a safetensors file', `${String(size)} bytes`);
  if (start.toString('latin1').startsWith(LFS_POINTER.slice(0, LENGTH_BYTES)))
    throw new WrongValue({ expected: `a safetensors file (${file})`, ...LFS_INSTEAD });
  const length = Number(start.readBigUInt64LE(0));
  if (length >= 2 && length <= MAX_HEADER_BYTES && length + LENGTH_BYTES <= size)
    return length + LENGTH_BYTES;
  throw damaged(
    file,
    'a safetensors header that fits the file',
    `a header length of ${String(length)} bytes`,
  );
}

/** Returns the tensors of a file of `size` bytes, given its `bytes` up to the end of the header. Throws UserError. */
export function parseTensors(file: string, bytes: Buffer, size: number): Map<string, TensorInfo> {
  const header = parseHeader(file, bytes.subarray(LENGTH_BYTES));
  const tensors = new Map<string, TensorInfo>();
  for (const [name, entry] of Object.entries(header)) {
    if (name !== '__metadata__') tensors.set(name, checkTensor(file, name, entry, size - bytes.length));
  }
  return tensors;
}

function parseHeader(file: string, bytes: Buffer): Fields {
  try {
    const parsed = parseJson(bytes.toString('utf8'));
    if (isRecord(parsed)) return parsed;
  } catch (cause) {
    throw damaged(file, 'a JSON safetensors header', 'unreadable text', cause);
  }
  throw damaged(file, 'a JSON safetensors header', 'JSON that is not an object');
}

function checkTensor(file: string, name: string, entry: unknown, dataBytes: number): TensorInfo {
  const { dtype, shape, data_offsets: offsets } = fieldsOf(entry);
  const where = `tensor ${name} of ${file}`;
  if (typeof dtype !== 'string' || !Object.hasOwn(BYTES, dtype)) {
    throw new WrongValue({
      expected: `${where} to have one of the types ${Object.keys(BYTES).join(', ')}`,
      got: typeof dtype === 'string' ? dtype : 'no type',
      remedy: 'convert the checkpoint to bf16, f16, f32 or an affine-quantised form',
    });
  }
  if (!isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
    throw damaged(where, 'a shape and two data offsets', quoted({ shape, offsets }, 80));
  }
  const [start = 0, end = 0] = offsets;
  const bytes = shape.reduce((product, n) => product * n, BYTES[dtype as TensorDtype]);
  if (end - start !== bytes) {
    throw damaged(where, `${String(bytes)} bytes of data`, String(end - start));
  }
  if (end > dataBytes) {
    throw damaged(
      where,
      `data up to byte ${String(end)}`,
      `a truncated file with ${String(dataBytes)} bytes of data`,
    );
  }
  return { dtype: dtype as TensorDtype, shape, start };
}

function isCounts(value: unknown): value is number[] {
  return (
    Array.isArray(value) && value.every((n) => typeof n === 'number' && Number.isSafeInteger(n) && n >= 0)
  );
}

function damaged(where: string, what: string, got: string, cause?: unknown): UserError {
  return new WrongValue({ expected: `${what} (${where})`, got, remedy: 'download the file again', cause });
}
