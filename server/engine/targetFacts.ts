// Facts about a target, by its config.json and its weight files.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { expertsField } from '../models/checkpoint/expertsField';
import { sizesOfConfig } from '../models/checkpoint/modelSizes';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import { namesInFolder } from '../models/checkpoint/modelFolder';
import { parseQuantisation } from '../models/checkpoint/quantisation';
import type { Device } from '../models/mlx/device';
import { type RowFacts, UNPACKED_BITS } from '../rules/rowCost';

interface WeightFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** Size of weight files below which float32 takes no longer than bfloat16 (docs/internals/results.md). */
const SMALL_BYTES = 128e6;

/** Lists the weight files of a model. Throws UserError for a folder that cannot be listed. */
export function weightFiles(directory: string): WeightFile[] {
  const names = namesInFolder(directory).filter((name) => name.endsWith('.safetensors'));
  return names.map((name) => ({ name, size: sizeOf(join(directory, name)) }));
}

/** Returns the size of a file in bytes; 0 for a broken link, which is reported when the weights are opened. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Returns whether the weight files are so small that the target computes in float32 on any device. */
export function areSmall(weights: readonly WeightFile[]): boolean {
  return weights.reduce((bytes, { size }) => bytes + size, 0) < SMALL_BYTES;
}

/** Returns facts from which the cost of rows is guessed until it is measured. Throws UserError for a wrong config. */
export function rowFactsOf(
  fields: ConfigFields,
  weights: readonly WeightFile[],
  { name, keepsQuantised }: Device,
): RowFacts {
  // The module path '' is the model as a whole.
  const packedBits = parseQuantisation(fields)('')?.bits;
  const bits = (keepsQuantised ? packedBits : undefined) ?? UNPACKED_BITS;
  const isMixture = expertsField(fields.part('text_config')) !== undefined;
  return { processor: name, bits, isMixture, isSmall: areSmall(weights) };
}

/** Returns the expected prefill speed (tokens/ms) of a mixture on a GPU; undefined for all other targets. */
export function expectedPrefillSpeed(
  fields: ConfigFields,
  weights: readonly WeightFile[],
  { name }: Device,
): number | undefined {
  const sizes = sizesOfConfig(fields, weights);
  const tokensPerSecond = sizes && mixturePromptSpeed(sizes, name);
  return tokensPerSecond && tokensPerSecond / 1000;
}
