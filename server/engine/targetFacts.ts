// Facts about a target from its files. Each file is read once, when a fact first needs it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { sizesOfConfig } from '../models/checkpoint/modelSizes';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import { parseQuantisation } from '../models/checkpoint/quantisation';
import { expertsField } from '../models/decoder/sparseMlp';
import { readConfig } from '../models/checkpoint/modelFolder';
import type { Device } from '../models/mlx/device';
import type { RowFacts } from '../rules/rowCost';

interface WeightFile {
  readonly name: string;
  readonly size: number;
}

/** Size of weight files below which float32 takes no longer than bfloat16 (docs/internals/results.md). */
const SMALL_BYTES = 128e6;

export class TargetFacts {
  #cachedConfig: ConfigFields | undefined;
  #cachedFiles: readonly WeightFile[] | undefined;

  constructor(private readonly directory: string) {}

  /** Whether the weight files are so small that the target computes in float32 on any device. */
  get isSmall(): boolean {
    // Loading the target reports a folder that is missing.
    if (!statSync(this.directory, { throwIfNoEntry: false })?.isDirectory()) return false;
    return this.#weightFiles.reduce((bytes, { size }) => bytes + size, 0) < SMALL_BYTES;
  }

  /** Bits per weight into which the files pack the target; undefined if they do not. Throws UserError. */
  get packedBits(): number | undefined {
    // The module path '' is the model as a whole.
    return parseQuantisation(this.#config)('')?.bits;
  }

  /** Returns facts from which the cost of rows is guessed until it is measured. Throws UserError. */
  rowFacts({ name, keepsQuantised }: Device): RowFacts {
    const bits = (keepsQuantised ? this.packedBits : undefined) ?? 16;
    const isMixture = expertsField(this.#config.part('text_config')) !== undefined;
    return { processor: name, bits, isMixture, isSmall: this.isSmall };
  }

  /** Returns the expected prefill speed (tokens/ms) of a mixture on a GPU; undefined for all other targets. */
  expectedPrefillSpeed({ name }: Device): number | undefined {
    const sizes = sizesOfConfig(this.#config, this.#weightFiles);
    const tokensPerSecond = sizes && mixturePromptSpeed(sizes, name);
    return tokensPerSecond && tokensPerSecond / 1000;
  }

  get #config(): ConfigFields {
    return (this.#cachedConfig ??= readConfig(this.directory));
  }

  get #weightFiles(): readonly WeightFile[] {
    return (this.#cachedFiles ??= sizedWeightFiles(this.directory));
  }
}

/** Lists the weight files of a model with their sizes in bytes. */
function sizedWeightFiles(directory: string): WeightFile[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.safetensors'));
  const sizeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return names.map((name) => ({ name, size: sizeOf(name) }));
}
