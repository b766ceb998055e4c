// A checkpoint folder with random weights: as large as wanted, and useful only for timing.
// Knows the file format only; the caller specifies the tensors of a network.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '../rng';

export interface CheckpointPlan {
  /** What config.json holds. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Of all tensors, by name. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Those that hold words of 32 bits, as packed weights do. */
  readonly words?: ReadonlySet<string> | undefined;
}

/**
 * Exponents of bfloat16 values whose sign and fraction are random. Token tables hold ±1 to ±2, other matrices ±1/128 to
 * ±1/64: otherwise the rows of a text would become more alike from layer to layer, and visit the same experts.
 */
const [TABLE, MATRIX] = [127 << 7, 120 << 7];
const ONE = 127 << 7;
const FRACTIONS = 2 ** 7;
const NOISE_VALUES = 2 ** 20;

/**
 * Writes config.json and model.safetensors in bfloat16, but for words; norms and other vectors are ones. Always the
 * same values.
 */
export function writeRandomCheckpoint(folder: string, { config, shapes, words }: CheckpointPlan): void {
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const start = end;
      const [dtype, bytes] = words?.has(name) ? ['U32', 4] : ['BF16', 2];
      end += bytes * sizeOf(shape);
      return [name, { dtype, shape, data_offsets: [start, end] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  try {
    writeSync(file, length);
    writeSync(file, text);
    const rng = new Rng(1);
    const [tables, matrices] = [noiseOf(TABLE, rng), noiseOf(MATRIX, rng)];
    for (const [name, shape] of Object.entries(shapes)) {
      if (shape.length === 1) writeSync(file, new Uint16Array(sizeOf(shape)).fill(ONE));
      else if (words?.has(name)) writeNoise(file, matrices, 2 * sizeOf(shape), rng);
      else writeNoise(file, name.includes('embed') ? tables : matrices, sizeOf(shape), rng);
    }
  } finally {
    closeSync(file);
  }
}

/** Values of all tensors together. */
export function sizeOfAll({ shapes }: CheckpointPlan): number {
  return Object.values(shapes).reduce((sum, shape) => sum + sizeOf(shape), 0);
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

function noiseOf(exponent: number, rng: Rng): Uint16Array {
  return Uint16Array.from(
    { length: NOISE_VALUES },
    () => exponent | rng.whole(0, FRACTIONS - 1) | (rng.whole(0, 1) << 15),
  );
}

/** Parts of the noise from random places, so that no two matrices are alike. */
function writeNoise(file: number, noise: Uint16Array, size: number, rng: Rng): void {
  for (let left = size; left > 0;) {
    const start = rng.whole(0, NOISE_VALUES / 2);
    const part = noise.subarray(start, start + left);
    writeSync(file, part);
    left -= part.length;
  }
}
