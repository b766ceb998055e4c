// config.json of a Qwen3.5 checkpoint, of text alone or the text part of one that reads images too. Field names as in
// the file, in camelCase.
import type { ConfigFields } from '../configFields';
import { parseHybridConfig, textFields, type HybridConfig } from '../hybrid/config';

export function parseQwen35Config(directory: string, fields: ConfigFields): HybridConfig {
  return parseHybridConfig(directory, textFields(fields));
}
