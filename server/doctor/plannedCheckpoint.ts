// Writes the planned checkpoint of a small network: packed weights in the layout of mlx-community, the rest in bfloat16.
// Depends on the plan alone, so that it has the same values on every machine, and every number type holds them exactly.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkPlan } from './goldens';

const GROUP_SIZE = 64;
const WORD_BITS = 32;
/** Inputs from which on weights have 4 bits, and from which on 8: Metal has kernels for no fewer (node-mlx 0.0.7). */
const [INPUTS_OF_4_BITS, INPUTS_OF_8_BITS] = [256, 128];

interface FileTensor {
  readonly dtype: 'U32' | 'BF16';
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** `folder` must exist. */
export function writePlannedCheckpoint(folder: string, { config, tensors }: NetworkPlan): void {
  const files: Record<string, FileTensor> = {};
  const quantization: Record<string, unknown> = { group_size: GROUP_SIZE, bits: 4 };
  for (const [name, [shape, mean, deviation]] of Object.entries(tensors)) {
    const bits = bitsOf(shape);
    const random = randomWords(name);
    if (bits === undefined) files[name] = plainTensor(shape, mean, deviation, random);
    else {
      const path = name.replace(/\.weight$/, '');
      if (bits !== quantization['bits']) quantization[path] = { group_size: GROUP_SIZE, bits };
      Object.assign(files, packedTensors(name, shape, deviation, bits, random));
    }
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, quantization }));
  writeFileSync(join(folder, 'model.safetensors'), safetensors(files));
}

/** Undefined for what stays as it is: vectors, and matrices with few inputs. */
function bitsOf(shape: readonly number[]): 4 | 8 | undefined {
  const inputs = shape.length > 1 ? (shape.at(-1) ?? 0) : 0;
  if (inputs >= INPUTS_OF_4_BITS) return 4;
  return inputs >= INPUTS_OF_8_BITS ? 8 : undefined;
}

function plainTensor(
  shape: readonly number[],
  mean: number,
  deviation: number,
  random: () => number,
): FileTensor {
  // Of even distribution, this far to either side.
  const reach = deviation * Math.sqrt(3);
  const values = Float32Array.from(
    { length: sizeOf(shape) },
    () => mean + reach * (random() / 2 ** (WORD_BITS - 1) - 1),
  );
  return { dtype: 'BF16', shape, bytes: upperHalves(values) };
}

/** Random codes, and for each group a scale; the biases put the codes around zero. */
function packedTensors(
  name: string,
  shape: readonly number[],
  deviation: number,
  bits: number,
  random: () => number,
): Record<string, FileTensor> {
  const [rows, inputs = 0] = [shape.slice(0, -1), shape.at(-1)];
  const groups = [...rows, inputs / GROUP_SIZE];
  const middle = 2 ** (bits - 1);
  const typical = (deviation * Math.sqrt(3)) / middle;
  const scales = Float32Array.from(
    { length: sizeOf(groups) },
    // The middle of the codes is not quite zero: with one sign, all rows would become alike.
    () => (random() % 2 === 0 ? 1 : -1) * typical * (0.75 + random() / 2 ** (WORD_BITS + 1)),
  );
  const exact = upperHalves(scales);
  // What is left in bfloat16, times a power of two: exact, too.
  const biases = Float32Array.from(new Uint16Array(exact.buffer), (half) => -middle * floatOf(half));
  const words = Uint32Array.from({ length: (sizeOf(shape) * bits) / WORD_BITS }, random);
  const path = name.replace(/\.weight$/, '');
  return {
    [name]: {
      dtype: 'U32',
      shape: [...rows, (inputs * bits) / WORD_BITS],
      bytes: new Uint8Array(words.buffer),
    },
    [`${path}.scales`]: { dtype: 'BF16', shape: groups, bytes: exact },
    [`${path}.biases`]: { dtype: 'BF16', shape: groups, bytes: upperHalves(biases) },
  };
}

/** float32 values cut to bfloat16. */
function upperHalves(values: Float32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint32Array(values.buffer);
  return new Uint8Array(Uint16Array.from(bits, (each) => each >>> 16).buffer);
}

function floatOf(half: number): number {
  return new Float32Array(Uint32Array.of(half << 16).buffer)[0] ?? NaN;
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

/** Numbers from 0 to 2^32 - 1 (mulberry32); the seed is a hash (FNV-1a) of the name. */
function randomWords(name: string): () => number {
  let state = [...name].reduce(
    (hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193),
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return (word ^ (word >>> 14)) >>> 0;
  };
}

function safetensors(tensors: Readonly<Record<string, FileTensor>>): Buffer {
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => [
      name,
      { dtype, shape, data_offsets: [end, (end += bytes.length)] },
    ]),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}
