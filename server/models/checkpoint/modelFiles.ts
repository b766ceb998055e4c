// Determines which files of a model are read when it is loaded, from their names, its config and the index of its
// weights.
import { ConfigFields } from './configFields';
import { readLargeJson } from './modelText';
import { quoted } from '../../rules/userError';
import { UNINDEXED } from './safetensors';
import { isSupportedSpeculator } from './speculatorsForm';

/** Chat template for tools, where transformers writes it. All other files that a load reads are in the main folder. */
export const TOOL_TEMPLATE = 'additional_chat_templates/tool_use.jinja';
/** Index of the weights, which lists the file of each tensor. */
export const WEIGHT_INDEX = 'model.safetensors.index.json';
export const CONFIG = 'config.json';
export const TOKENIZER = 'tokenizer.json';
/** Architectures of the supported drafters. */
export const DRAFTER_ARCHITECTURES = [
  'DFlash2DraftModel',
  'DFlashDraftModel',
  'DSparkDraftModel',
  'Gemma4DSparkModel',
  'Qwen3DSparkModel',
] as const;
/** Files to read besides the weights, if they are there. */
const NAMED = [
  CONFIG,
  'generation_config.json',
  TOKENIZER,
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  TOOL_TEMPLATE,
  'chat_template.json',
  WEIGHT_INDEX,
];

/**
 * Returns whether a model is a drafter: its config.json is in the form of vLLM's speculators and of a supported
 * algorithm, or its first architecture is a drafter's. The model_type does not help, as drafters have that of their
 * target.
 */
export function isDrafter(config: ConfigFields): boolean {
  if (isSupportedSpeculator(config)) return true;
  const architectures = config.raw('architectures');
  const isNamed = Array.isArray(architectures) && architectures.every((name) => typeof name === 'string');
  return isNamed && DRAFTER_ARCHITECTURES.some((name) => name === architectures[0]);
}

/** Lists the files that a model must have besides its weights. Drafters use the tokenizer of their target. */
export function neededFiles(config: ConfigFields): string[] {
  return isDrafter(config) ? [CONFIG] : [CONFIG, TOKENIZER];
}

/**
 * Returns the files among `files` that loading a model reads, or the name of the first missing one; neither if an index
 * lists no weights. `index` is the path of the weight index; undefined without one. `needed` are the files that must
 * exist besides the weights.
 */
export function modelFiles<T extends { readonly name: string }>(
  files: readonly T[],
  index: string | undefined,
  needed: readonly string[] = [CONFIG],
): { readonly files?: T[]; readonly absent?: string | undefined } {
  const names = files.map(({ name }) => name);
  const weights = weightFileNames(names, index);
  const absent = [...needed, ...weights].find((name) => !names.includes(name));
  if (absent !== undefined || weights.length === 0) return { absent };
  return { files: files.filter(({ name }) => NAMED.includes(name) || weights.includes(name)) };
}

function weightFileNames(names: readonly string[], index: string | undefined): string[] {
  if (index !== undefined) return readShards(index);
  const single = names.filter((name) => UNINDEXED.test(name));
  return single.length > 0 ? single : ['model.safetensors'];
}

/** Lists the files that an index names, whether they exist or not; none if the file is not an index. */
function readShards(file: string): string[] {
  const shards: unknown[] = Object.values(readFields(file, readWeightIndex).raw('weight_map') ?? {});
  return [...new Set(shards.map((name) => (typeof name === 'string' ? name : quoted(name))))];
}

/** Reads the fields of a JSON file; a file that cannot be read as JSON has none. */
export function readFields(file: string, read = (path: string) => ConfigFields.read(path)): ConfigFields {
  try {
    return read(file);
  } catch {
    return new ConfigFields(file, {});
  }
}

/** Reads the index of the weights of a model. Throws UserError. */
export function readWeightIndex(file: string): ConfigFields {
  return ConfigFields.read(file, () => new TextDecoder().decode(readLargeJson(file)));
}
