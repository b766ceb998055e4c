// Which files of a model are read to load it, by their names, its config and the index of its weights. Reads no weights.
import { ConfigFields, readWeightIndex, TOOL_TEMPLATE, WEIGHT_INDEX } from './configFields';
import { quoted } from '../../rules/inputError';
import { UNINDEXED } from './safetensors';
import { isKnownSpeculator } from './speculatorsForm';

export const CONFIG = 'config.json';
export const TOKENIZER = 'tokenizer.json';
/** The drafters that load. */
export const DRAFTER_ARCHITECTURES = [
  'DFlash2DraftModel',
  'DFlashDraftModel',
  'DSparkDraftModel',
  'Gemma4DSparkModel',
  'Qwen3DSparkModel',
] as const;
/** Files needed besides the weights; a drafter needs a subset of what a target does. */
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

/** By its form or its first architecture, as drafters borrow the model_type of their target. */
export function isDrafter(config: ConfigFields): boolean {
  if (isKnownSpeculator(config)) return true;
  const architectures = config.raw('architectures');
  const isNamed = Array.isArray(architectures) && architectures.every((name) => typeof name === 'string');
  return isNamed && DRAFTER_ARCHITECTURES.some((name) => name === architectures[0]);
}

/** Drafters have no tokenizer of their own: they use the tokens of their target. */
export function neededFiles(config: ConfigFields): string[] {
  return isDrafter(config) ? [CONFIG] : [CONFIG, TOKENIZER];
}

/**
 * The files among these that loading a model reads, or the first that is missing; neither with an index that names
 * no weights. `index` is a path.
 */
export function modelFiles<T extends { readonly name: string }>(
  files: readonly T[],
  index: string | undefined,
  needed: readonly string[] = [CONFIG],
): { readonly files?: T[]; readonly absent?: string | undefined } {
  const names = files.map(({ name }) => name);
  const weights = weightFiles(names, index);
  const absent = [...needed, ...weights].find((name) => !names.includes(name));
  if (absent !== undefined || weights.length === 0) return { absent };
  return { files: files.filter(({ name }) => NAMED.includes(name) || weights.includes(name)) };
}

function weightFiles(names: readonly string[], index: string | undefined): string[] {
  if (index !== undefined) return readShards(index);
  const single = names.filter((name) => UNINDEXED.test(name));
  return single.length > 0 ? single : ['model.safetensors'];
}

/** The values in an index, also those that name no file of its folder; none if the file is not an index. */
function readShards(file: string): string[] {
  const shards: unknown[] = Object.values(readFields(file, readWeightIndex).raw('weight_map') ?? {});
  return [...new Set(shards.map((name) => (typeof name === 'string' ? name : quoted(name))))];
}

/** No fields if the file is not JSON. */
export function readFields(file: string, read = (path: string) => ConfigFields.read(path)): ConfigFields {
  try {
    return read(file);
  } catch {
    return new ConfigFields(file, {});
  }
}
