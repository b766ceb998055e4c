// The weight files of a checkpoint, and the tensors in them with type and shape. The native reader only opens files
// whose header was verified.
import * as mx from '../mlx/ops';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, type Mismatch, type UserError, WrongValue } from '../../rules/userError';
import { openRegularFile } from '../../machine/regularFile';
import { namesInFolder } from './modelFolder';
import { readWeightIndex, WEIGHT_INDEX } from './modelFiles';
import { dispose } from '../mlx/memory';
import { foundInstead } from './otherFormats';
import { readSafetensors, UNINDEXED, type TensorInfo } from './safetensors';

const TYPES = {
  float: ['F32', 'F16', 'BF16'],
  packed: ['U32'],
  integer: ['I64', 'I32', 'I16', 'I8', 'U8', 'BOOL'],
} as const;

export type TensorKind = keyof typeof TYPES;

interface StoredTensor extends TensorInfo {
  readonly file: string;
}

/** Error for tensors that do not fit the architecture: missing, surplus, or of a different shape. */
export class TensorMismatch extends WrongValue {}

export class Shards {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  /** Arrays of the opened files that no call of `read` has returned yet, by file and tensor. */
  readonly #open = new Map<string, Map<string, mx.MxArray>>();

  constructor(readonly directory: string) {
    this.tensors = listTensors(directory);
  }

  /**
   * Returns the array of a tensor, which is read from disk when it is evaluated. The caller disposes it. Throws
   * UserError, naming the tensor, unless it exists with this shape and a type of this kind.
   */
  read(name: string, shape: readonly number[], kind: TensorKind): mx.MxArray {
    const file = this.#find(name, shape, kind);
    const arrays = this.#open.get(file) ?? openShard(file);
    this.#open.set(file, arrays);
    const array = arrays.get(name);
    if (array === undefined)
      throw new RangeError(`${file} lost the tensor ${name} while it was read. Load the model again.`);
    // Removed, so that close() frees only the tensors that were never requested.
    arrays.delete(name);
    return array;
  }

  #find(name: string, shape: readonly number[], kind: TensorKind): string {
    const info = this.tensors.get(name);
    const expected = `tensor ${name} [${shape.join(', ')}] in ${this.directory}`;
    const remedy = 'check config.json against the weights, or download the checkpoint again';
    if (info === undefined) throw new TensorMismatch({ expected, got: 'no such tensor', remedy });
    if (info.shape.length !== shape.length || info.shape.some((size, axis) => size !== shape[axis])) {
      throw new TensorMismatch({ expected, got: `shape [${info.shape.join(', ')}]`, remedy });
    }
    const types: readonly string[] = TYPES[kind];
    if (types.includes(info.dtype)) return info.file;
    throw new WrongValue({ expected: `${expected} of type ${types.join(', ')}`, got: info.dtype, remedy });
  }

  /** Frees the handles of tensors that were never read. */
  close(): void {
    for (const arrays of this.#open.values()) dispose([...arrays.values()]);
    this.#open.clear();
  }
}

/**
 * Lists the tensors that the index names or, without an index, all tensors. Throws UserError for a missing file or
 * tensor.
 */
function listTensors(directory: string): Map<string, StoredTensor> {
  const names = namesInFolder(directory);
  const index = names.includes(WEIGHT_INDEX)
    ? readWeightIndex(join(directory, WEIGHT_INDEX)).nested('weight_map')
    : undefined;
  const shards = new Map(index?.names().map((tensor) => [tensor, index.string(tensor)]));
  const unindexed = names.filter((name) => UNINDEXED.test(name)).sort();
  if (!index && unindexed.length === 0)
    throw missing(`the weight file ${join(directory, 'model.safetensors')}`, 'file', foundInstead(directory));
  const tensors = new Map<string, StoredTensor>();
  for (const name of index ? new Set(shards.values()) : unindexed) {
    const file = join(directory, name);
    // Also refuses paths, with which a checkpoint could read other folders.
    if (!names.includes(name)) throw missing(`the weight file ${file}`, 'file');
    for (const [tensor, info] of readSafetensors(file))
      if (!index || shards.get(tensor) === name) tensors.set(tensor, { ...info, file });
  }
  for (const [tensor, shard] of shards)
    if (!tensors.has(tensor))
      throw missing(`tensor ${tensor} in ${join(directory, shard)}, as ${WEIGHT_INDEX} says`, 'tensor');
  return tensors;
}

/**
 * Opens a file. Throws UserError for headers that only the native reader rejects, such as metadata that is not text.
 */
function openShard(file: string): Map<string, mx.MxArray> {
  const remedy = 'check that it can be opened, or download it again';
  return attempt(`a header that MLX can read in ${file}`, remedy, () => {
    // MLX does not say why it cannot open a file.
    closeSync(openRegularFile(file).descriptor);
    return mx.load(file);
  });
}

function missing(expected: string, kind: string, instead?: Partial<Mismatch>): UserError {
  const remedy = 'download the checkpoint again';
  return new WrongValue({ expected, got: `no such ${kind}`, remedy, ...instead });
}
