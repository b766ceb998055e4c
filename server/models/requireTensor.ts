// Whether a checkpoint has a tensor of the shape and kind that its config.json implies. Reads no tensor.
import { InputError } from '../inputError';
import type { Shards } from './shards';

const TYPES = { float: ['F32', 'F16', 'BF16'], packed: ['U32'] } as const;

export type TensorKind = keyof typeof TYPES;

/** Throws InputError, naming the tensor, unless `name` is there with this shape and a type of this kind. */
export function requireTensor(
  { tensors, directory }: Shards,
  name: string,
  shape: readonly number[],
  kind: TensorKind,
): void {
  const info = tensors.get(name);
  const expected = `tensor ${name} [${shape.join(', ')}] in ${directory}`;
  const remedy = 'check config.json against the weights, or download the checkpoint again';
  if (info === undefined) throw new InputError({ expected, got: 'no such tensor', remedy });
  if (info.shape.length !== shape.length || info.shape.some((size, axis) => size !== shape[axis])) {
    throw new InputError({ expected, got: `shape [${info.shape.join(', ')}]`, remedy });
  }
  const types: readonly string[] = TYPES[kind];
  if (types.includes(info.dtype)) return;
  throw new InputError({ expected: `${expected} of type ${types.join(', ')}`, got: info.dtype, remedy });
}
