// Reads the tensors of a safetensors file with their bytes, without the native reader.
import { readFileSync } from 'node:fs';
import { headerEnd, parseTensors, type TensorInfo } from '../server/models/checkpoint/safetensors';

export interface StoredTensor extends TensorInfo {
  /** Bytes from the first one of the tensor to the end of the file; little-endian. */
  readonly bytes: Buffer;
}

/** Returns the tensors by name. Throws UserError for a damaged file. */
export function storedTensors(file: string): ReadonlyMap<string, StoredTensor> {
  const all = readFileSync(file);
  const end = headerEnd(file, all, all.length);
  const infos = parseTensors(file, all.subarray(0, end), all.length);
  return new Map(
    [...infos].map(([name, info]) => [name, { ...info, bytes: all.subarray(end + info.start) }]),
  );
}
