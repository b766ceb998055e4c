// The tensors of a safetensors file with their bytes, read once and without the native reader.
import { readFileSync } from 'node:fs';
import { safetensorsEnd, safetensorsIn, type TensorInfo } from '../server/models/checkpoint/safetensors';

export interface StoredTensor extends TensorInfo {
  /** From its first byte to the end of the file; little-endian. */
  readonly bytes: Buffer;
}

/** By name. Throws InputError for a damaged file. */
export function storedTensors(file: string): ReadonlyMap<string, StoredTensor> {
  const all = readFileSync(file);
  const end = safetensorsEnd(file, all, all.length);
  const infos = safetensorsIn(file, all.subarray(0, end), all.length);
  return new Map(
    [...infos].map(([name, info]) => [name, { ...info, bytes: all.subarray(end + info.start) }]),
  );
}
