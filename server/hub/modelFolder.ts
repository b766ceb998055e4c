// What the files of a model directory tell without loading it. Reads the config and sizes.
import { join } from 'node:path';
import { InputError } from '../inputError';
import { ConfigFields } from '../models/configFields';
import { sizesOfConfig, type ModelSizes } from './modelSizes';
import { CONFIG } from './neededFiles';
import { namesIn, sizeOf } from './repositoryCache';

export interface ModelFolder {
  readonly directory: string;
  readonly config: ConfigFields;
  readonly weightBytes: number;
  /** Undefined for a config that does not tell. */
  readonly sizes: ModelSizes | undefined;
}

/** Undefined without a config that can be read. */
export function readModelFolder(directory: string): ModelFolder | undefined {
  try {
    const config = ConfigFields.read(join(directory, CONFIG));
    const weights = namesIn(directory).filter((name) => name.endsWith('.safetensors'));
    const weightBytes = weights.reduce((sum, name) => sum + Math.max(0, sizeOf(join(directory, name))), 0);
    return { directory, config, weightBytes, sizes: sizesOfConfig(config, weightBytes) };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

export function architectureOf(config: ConfigFields): string {
  return config.has('architectures') ? (config.strings('architectures')[0] ?? '') : '';
}
