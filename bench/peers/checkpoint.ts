// The tensors of a safetensors checkpoint as float32, expanded in JavaScript: the peer gets its weights without the
// native reader that Flashline uses, so that equal tokens are evidence for both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFields } from '../../server/models/checkpoint/configFields';
import {
  parseQuantisation,
  type Quantisation,
  type QuantisationParameters,
} from '../../server/models/checkpoint/quantisation';
import { readSafetensors, type TensorInfo } from '../../server/models/checkpoint/safetensors';
import { halfValue } from './half';

interface Stored extends TensorInfo {
  readonly bytes: Buffer;
}

export class Checkpoint {
  readonly #tensors = new Map<string, Stored>();
  readonly #quantisation: Quantisation;

  /** Reads the files whole. Throws InputError for a damaged one. */
  constructor(directory: string, config: ConfigFields) {
    this.#quantisation = parseQuantisation(config);
    for (const name of readdirSync(directory).filter((each) => each.endsWith('.safetensors'))) {
      const file = join(directory, name);
      const infos = readSafetensors(file);
      const bytes = readFileSync(file);
      const data = bytes.subarray(8 + Number(bytes.readBigUInt64LE()));
      for (const [tensor, info] of infos)
        this.#tensors.set(tensor, { ...info, bytes: data.subarray(info.start) });
    }
  }

  /** The shape of `<path>.weight`, expanded: [rows, columns] or [length]. */
  shape(path: string): readonly number[] {
    const { shape } = this.#stored(`${path}.weight`);
    if (!this.#tensors.has(`${path}.scales`)) return shape;
    const [rows = 0, words = 0] = shape;
    return [rows, words * (32 / this.#parameters(path).bits)];
  }

  /** The values of `<path>.weight`, row after row. */
  values(path: string): Float32Array {
    const weight = this.#stored(`${path}.weight`);
    if (!this.#tensors.has(`${path}.scales`)) return floats(weight);
    const { bits, groupSize } = this.#parameters(path);
    const scales = floats(this.#stored(`${path}.scales`));
    const biases = floats(this.#stored(`${path}.biases`));
    const values = new Float32Array((32 / bits) * count(weight));
    // The first code of a byte is in its lowest bits.
    const code = (i: number): number => {
      const bit = i * bits;
      return ((weight.bytes[bit >> 3] ?? NaN) >> (bit & 7)) & (2 ** bits - 1);
    };
    for (const [group, scale] of scales.entries()) {
      const bias = biases[group] ?? NaN;
      // A product of a scale and a code is exact in float64, so this rounds once, as a fused operation does.
      for (let i = group * groupSize; i < (group + 1) * groupSize; i++) values[i] = scale * code(i) + bias;
    }
    return values;
  }

  #parameters(path: string): QuantisationParameters {
    const { bits, groupSize } = this.#quantisation(path) ?? {};
    if (bits !== undefined && groupSize !== undefined) return { bits, groupSize };
    throw new Error(`Expected the config to say how ${path} is quantised, got nothing`);
  }

  #stored(name: string): Stored {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new Error(`Expected a tensor ${name} in the checkpoint, got none`);
    return tensor;
  }
}

function floats({ dtype, bytes, ...info }: Stored): Float32Array {
  const values = new Float32Array(count(info));
  for (let i = 0; i < values.length; i++) values[i] = floatAt(bytes, i, dtype);
  return values;
}

function floatAt(bytes: Buffer, index: number, dtype: TensorInfo['dtype']): number {
  if (dtype === 'F32') return bytes.readFloatLE(4 * index);
  if (dtype === 'F16') return halfValue(bytes.readUInt16LE(2 * index));
  if (dtype === 'BF16') return bfloatValue(bytes.readUInt16LE(2 * index));
  throw new Error(`Expected a tensor of F32, F16 or BF16, got ${dtype}`);
}

/** A bfloat is the upper half of a float32. */
function bfloatValue(half: number): number {
  return new Float32Array(Uint32Array.of(half << 16).buffer)[0] ?? NaN;
}

function count({ shape }: Pick<TensorInfo, 'shape'>): number {
  return shape.reduce((product, size) => product * size, 1);
}
