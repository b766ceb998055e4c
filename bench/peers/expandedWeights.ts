// Expands the weights of a checkpoint to float32 in JavaScript if they are stored like the built-in target's: as
// float16, or packed with float16 scales and biases. The peer thus gets them without the native reader that Flashline
// uses, so that equal tokens are evidence for both readers.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFields } from '../../server/models/checkpoint/configFields';
import { parseQuantisation } from '../../server/models/checkpoint/quantisation';
import { storedTensors, type StoredTensor } from '../storedTensors';
import { halfValue } from './quantiseQ8';

interface Weight {
  /** Shape: [rows, columns] or [length]. */
  readonly shape: readonly number[];
  /** Returns the values, row by row. */
  readonly values: () => Float32Array;
}

/** Reads the files completely and returns a function that finds `PATH.weight`. Throws UserError for a damaged file. */
export function expandedWeights(directory: string, config: ConfigFields): (path: string) => Weight {
  const quantisation = parseQuantisation(config);
  const tensors = new Map<string, StoredTensor>();
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.safetensors'))) {
    for (const [name, tensor] of storedTensors(join(directory, file))) tensors.set(name, tensor);
  }
  const stored = (name: string): StoredTensor => {
    const tensor = tensors.get(name);
    if (tensor === undefined)
      throw new Error(`${directory} has no tensor ${name}; use a complete checkpoint`);
    return tensor;
  };
  return (path) => {
    const weight = stored(`${path}.weight`);
    if (!tensors.has(`${path}.scales`)) return { shape: weight.shape, values: () => halves(weight) };
    const { bits, groupSize } = quantisation(path) ?? {};
    if (bits === undefined || groupSize === undefined)
      throw new Error(`config.json does not say how ${path} is quantised; add its bits and group_size`);
    const [rows = 0, words = 0] = weight.shape;
    const values = (): Float32Array => {
      const expanded = new Float32Array((rows * words * 32) / bits);
      const biases = halves(stored(`${path}.biases`));
      // The first code of a byte is in the lowest bits.
      const code = (i: number): number =>
        ((weight.bytes[(i * bits) >> 3] ?? NaN) >> ((i * bits) & 7)) & (2 ** bits - 1);
      // A product of a scale and a code is exact in float64, so this rounds once, as a fused operation does.
      for (const [group, scale] of halves(stored(`${path}.scales`)).entries())
        for (let i = group * groupSize; i < (group + 1) * groupSize; i++)
          expanded[i] = scale * code(i) + (biases[group] ?? NaN);
      return expanded;
    };
    return { shape: [rows, (words * 32) / bits], values };
  };
}

function halves({ dtype, shape, bytes }: StoredTensor): Float32Array {
  if (dtype !== 'F16') throw new Error(`Expected a tensor of F16, got ${dtype}; write the checkpoint as F16`);
  const count = shape.reduce((product, size) => product * size, 1);
  return Float32Array.from({ length: count }, (_, i) => halfValue(bytes.readUInt16LE(2 * i)));
}
