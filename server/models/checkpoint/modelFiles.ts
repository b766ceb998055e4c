// Which files of a model are read to load it, by their names and the index of its weights. Reads no weights.
import { ConfigFields } from './configFields';
import { TOOL_TEMPLATE, WEIGHT_INDEX } from './modelText';
import { UNINDEXED } from './safetensors';

export const CONFIG = 'config.json';
/** Files needed besides the weights; a drafter needs a subset of what a target does. */
const NAMED = [
  CONFIG,
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'chat_template.jinja',
  TOOL_TEMPLATE,
  'chat_template.json',
  WEIGHT_INDEX,
];

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

/** The names in an index, without those in other folders; none if it is not an index. */
function readShards(file: string): string[] {
  const shards: unknown[] = Object.values(readFields(file).raw('weight_map') ?? {});
  const names = new Set(shards.filter((name) => typeof name === 'string'));
  return [...names].filter((name) => /^\w[\w.-]*$/.test(name));
}

/** No fields if the file is not JSON. */
export function readFields(file: string): ConfigFields {
  try {
    return ConfigFields.read(file);
  } catch {
    return new ConfigFields(file, {});
  }
}
