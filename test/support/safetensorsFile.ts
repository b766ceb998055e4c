// Safetensors files written and read by hand, so that a test can say exactly which bytes are on disk.
// Knows nothing about MLX or about what the tensors mean.
import { readFileSync, writeFileSync } from 'node:fs';
import type { FileTensor } from './fileTensor';

export type FileTensors = Readonly<Record<string, FileTensor>>;

interface HeaderEntry {
  readonly dtype: string;
  readonly shape: number[];
  readonly data_offsets: [number, number];
}

export function writeSafetensors(file: string, tensors: FileTensors): void {
  let end = 0;
  const header = new Map<string, unknown>([['__metadata__', { format: 'pt' }]]);
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header.set(name, { dtype, shape, data_offsets: [end, (end += bytes.length)] });
  }
  writeForged(file, Object.fromEntries(header), {
    data: Buffer.concat(Object.values(tensors).map(({ bytes }) => bytes)),
  });
}

interface ForgedOptions {
  readonly data?: Uint8Array;
  /** Header length to write, if it differs from the real one. */
  readonly headerLength?: bigint;
}

/** Writes `header`, an object or raw text, unchanged, even if it is wrong. */
export function writeForged(file: string, header: unknown, options: ForgedOptions = {}): void {
  const text = header instanceof Uint8Array ? header : Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(options.headerLength ?? BigInt(text.length));
  writeFileSync(file, Buffer.concat([length, text, options.data ?? Buffer.alloc(0)]));
}

/** Reads a valid file without checks. */
export function readFileTensors(file: string): Record<string, FileTensor> {
  const bytes = readFileSync(file);
  const start = 8 + Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.toString('utf8', 8, start)) as Record<string, HeaderEntry>;
  delete header['__metadata__'];
  const tensors = Object.entries(header).map(([name, { dtype, shape, data_offsets: at }]) => {
    return [name, { dtype, shape, bytes: bytes.subarray(start + at[0], start + at[1]) }] as const;
  });
  return Object.fromEntries(tensors);
}
