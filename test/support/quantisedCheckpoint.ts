// Affine-quantised weights made in JavaScript, with the floats that they represent. Either the codes are random, with
// scales and biases of few significant bits, so that scale · code + bias is exact in float32; or they are the nearest
// to given floats.
import { floatTensor, tensorValues, wordTensor, type FileTensor } from './fileTensor';
import type { FileTensors } from './safetensorsFile';
import { seededIntegers } from './seededRandom';
import type { Checkpoint } from './tinyCheckpoint';

export interface Packing {
  readonly bits: number;
  readonly groupSize: number;
}

interface QuantisedTensor {
  readonly weight: FileTensor;
  readonly scales: FileTensor;
  readonly biases: FileTensor;
  /** scale · code + bias, [rows, columns]. */
  readonly values: readonly number[];
}

/** Creates a random matrix in the mlx-community layout: codes packed into words from the low bits on. */
export function quantisedTensor(
  [rows, columns]: readonly [number, number],
  { bits, groupSize }: Packing,
  seed: number,
): QuantisedTensor {
  const groups = (rows * columns) / groupSize;
  const codes = seededIntegers(seed, rows * columns, 0, 2 ** bits - 1);
  // The values stay between -1/4 and 1/2 for any number of bits.
  const scales = seededIntegers(seed + 1, groups, 1, 16).map((k) => k / 2 ** (bits + 5));
  const biases = seededIntegers(seed + 2, groups, -32, 0).map((k) => k / 128);
  const groupShape = [rows, columns / groupSize];
  return {
    weight: packedCodes([rows, columns], codes, bits),
    scales: floatTensor(groupShape, scales, 'BF16'),
    biases: floatTensor(groupShape, biases, 'BF16'),
    values: codes.map((code, i) => {
      const group = Math.floor(i / groupSize);
      return (scales[group] ?? 0) * code + (biases[group] ?? 0);
    }),
  };
}

/** Quantises `values` to the nearest codes between the least and the greatest value of each group. */
function nearestTensor(
  [rows, columns]: readonly [number, number],
  { bits, groupSize }: Packing,
  values: readonly number[],
): QuantisedTensor {
  const groups = Array.from({ length: values.length / groupSize }, (_, group) => {
    const groupValues = values.slice(group * groupSize, (group + 1) * groupSize);
    const bias = Math.min(...groupValues);
    // Rounded to float32, as in the file. A group of equal values needs a scale too.
    const scale = Math.fround((Math.max(...groupValues) - bias) / (2 ** bits - 1)) || 1;
    return { bias, scale, codes: groupValues.map((value) => Math.round((value - bias) / scale)) };
  });
  const groupShape = [rows, columns / groupSize];
  const codes = groups.flatMap((group) => group.codes);
  const perGroup = (key: 'scale' | 'bias') =>
    floatTensor(
      groupShape,
      groups.map((group) => group[key]),
    );
  return {
    weight: packedCodes([rows, columns], codes, bits),
    scales: perGroup('scale'),
    biases: perGroup('bias'),
    values: groups.flatMap((group) => group.codes.map((code) => group.scale * code + group.bias)),
  };
}

/** Packs codes one after the other from the low bits of the first word on; a code can continue in the next word. */
function packedCodes([rows, columns]: readonly [number, number], codes: readonly number[], bits: number) {
  const words = new Uint32Array((codes.length * bits) / 32);
  const put = (value: number, bit: number) => {
    const [word, shift] = [Math.floor(bit / 32), bit % 32];
    words[word] = (words[word] ?? 0) + ((value * 2 ** shift) % 2 ** 32);
    if (shift + bits > 32) words[word + 1] = Math.floor(value / 2 ** (32 - shift));
  };
  for (const [i, code] of codes.entries()) put(code, i * bits);
  return wordTensor([rows, (columns * bits) / 32], [...words]);
}

interface QuantisedPair {
  readonly quantised: Checkpoint;
  /** Checkpoint with the same weights as F32 tensors. */
  readonly expanded: Checkpoint;
}

/**
 * Replaces the matrices of a checkpoint, stacked ones too, by random quantised ones. `packingOf` can return another
 * packing for a module path, or false to leave it dense; config.json has the overrides as mlx-lm writes them.
 */
export function quantisedCheckpoint(
  checkpoint: Checkpoint,
  packing: Packing,
  packingOf: (path: string) => Packing | false | undefined = () => undefined,
): QuantisedPair {
  return packMatrices(checkpoint, packing, packingOf, (shape, matrixPacking, _, seed) =>
    quantisedTensor(shape, matrixPacking, seed),
  );
}

/**
 * Rounds the matrices of a checkpoint to quantised ones, as the tools that publish such checkpoints do. Modules whose
 * path matches `unrounded` stay as they are.
 */
export function roundedCheckpoint(
  checkpoint: Checkpoint,
  packing: Packing,
  unrounded?: RegExp,
): QuantisedPair {
  const packingOf = (path: string) => (unrounded?.test(path) ? false : undefined);
  return packMatrices(checkpoint, packing, packingOf, (shape, matrixPacking, tensor) =>
    nearestTensor(shape, matrixPacking, tensorValues(tensor)),
  );
}

type PackMatrix = (
  shape: readonly [number, number],
  packing: Packing,
  tensor: FileTensor,
  seed: number,
) => QuantisedTensor;

function packMatrices(
  { config, tensors }: Checkpoint,
  packing: Packing,
  packingOf: (path: string) => Packing | false | undefined,
  pack: PackMatrix,
): QuantisedPair {
  const packed: Record<string, FileTensor> = {};
  const dense: Record<string, FileTensor> = {};
  const overrides: Record<string, unknown> = {};
  for (const [i, [name, tensor]] of Object.entries(tensors).entries()) {
    const path = name.replace(/\.weight$/, '');
    const override = packingOf(path);
    if (override === false) overrides[path] = false;
    else if (override) overrides[path] = { group_size: override.groupSize, bits: override.bits };
    const [axes, columns = 0] = [tensor.shape.slice(0, -1), tensor.shape.at(-1)];
    const groupSize = override ? override.groupSize : packing.groupSize;
    // Kernels of convolutions have rows of a few columns and are never packed.
    if (override === false || axes.length === 0 || columns % groupSize !== 0) {
      packed[name] = dense[name] = tensor;
      continue;
    }
    const rows = axes.reduce((product, n) => product * n, 1);
    const { weight, scales, biases, values } = pack(
      [rows, columns],
      override ?? packing,
      tensor,
      5000 + 3 * i,
    );
    const shaped = (part: FileTensor) => ({ ...part, shape: [...axes, part.shape[1] ?? 0] });
    packed[name] = shaped(weight);
    packed[`${path}.scales`] = shaped(scales);
    packed[`${path}.biases`] = shaped(biases);
    dense[name] = floatTensor(tensor.shape, values);
  }
  const quantization = { group_size: packing.groupSize, bits: packing.bits, ...overrides };
  return {
    quantised: { config: { ...config, quantization }, tensors: packed satisfies FileTensors },
    expanded: { config, tensors: dense },
  };
}
