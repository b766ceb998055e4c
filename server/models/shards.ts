// The weight files of a checkpoint directory: which tensors exist, where, and of what shape. Opens the native
// reader only for files whose header has been verified.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';
import { dispose } from './memory';
import * as mx from './ops';
import { readSafetensors, type TensorInfo } from './safetensors';

export interface StoredTensor extends TensorInfo {
  readonly file: string;
}

export class Shards {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly #open = new Map<string, Record<string, mx.MxArray>>();

  constructor(readonly directory: string) {
    this.tensors = listTensors(directory);
  }

  /** The array of a known tensor, not yet read from disk. The caller disposes it. */
  read(name: string): mx.MxArray {
    const file = this.tensors.get(name)?.file;
    if (file === undefined) throw new RangeError(`Expected a tensor of ${this.directory}, got ${name}`);
    let arrays = this.#open.get(file);
    if (arrays === undefined) this.#open.set(file, (arrays = openShard(file)));
    const array = arrays[name];
    if (array === undefined)
      throw new RangeError(`Expected ${name} in ${file}, which changed while it was read`);
    // Taken out, so that close() frees exactly what nobody asked for.
    delete arrays[name];
    return array;
  }

  /** Frees the handles of tensors that were never read. */
  close(): void {
    for (const arrays of this.#open.values()) dispose(arrays);
    this.#open.clear();
  }
}

function listTensors(directory: string): Map<string, StoredTensor> {
  const names = readdirSync(directory);
  const index = names.find((name) => name === 'model.safetensors.index.json');
  if (index !== undefined) return listIndexed(directory, join(directory, index), names);
  const files = names.filter((name) => /^model.*\.safetensors$/.test(name)).sort();
  if (files.length === 0) throw missing(join(directory, 'model.safetensors'));
  const tensors = new Map<string, StoredTensor>();
  for (const name of files) {
    const file = join(directory, name);
    for (const [tensor, info] of readSafetensors(file)) tensors.set(tensor, { ...info, file });
  }
  return tensors;
}

function listIndexed(
  directory: string,
  indexFile: string,
  names: readonly string[],
): Map<string, StoredTensor> {
  const weightMap = ConfigFields.read(indexFile).nested('weight_map');
  const headers = new Map<string, Map<string, TensorInfo>>();
  const tensors = new Map<string, StoredTensor>();
  for (const tensor of weightMap.names()) {
    // A shard lies beside its index: a path would let a checkpoint read other folders.
    const shard = basename(weightMap.string(tensor));
    const file = join(directory, shard);
    if (!names.includes(shard)) throw missing(file);
    let header = headers.get(shard);
    if (header === undefined) headers.set(shard, (header = readSafetensors(file)));
    const info = header.get(tensor);
    if (info === undefined) {
      throw new InputError({
        expected: `tensor ${tensor} in ${file}, as ${basename(indexFile)} says`,
        got: 'no such tensor',
        remedy: 'download the checkpoint again',
      });
    }
    tensors.set(tensor, { ...info, file });
  }
  return tensors;
}

/** What the check of the header lets through and the native reader does not, such as metadata that is no text. */
function openShard(file: string): Record<string, mx.MxArray> {
  try {
    return mx.load(file);
  } catch (cause) {
    throw new InputError({
      expected: `a header that MLX can read in ${file}`,
      got: cause instanceof Error ? cause.message : String(cause),
      remedy: 'download the file again',
      cause,
    });
  }
}

function missing(file: string): InputError {
  return new InputError({
    expected: `the weight file ${file}`,
    got: 'no such file',
    remedy: 'download the checkpoint again',
  });
}
