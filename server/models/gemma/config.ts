// config.json of a Gemma checkpoint of the first generation. Field names as in the file, in camelCase.
import type { ConfigFields } from '../configFields';
import type { DecoderConfig } from '../decoderConfig';
import { parseGemmaFields } from '../gemmaFields';

export function parseGemmaConfig(directory: string, fields: ConfigFields): DecoderConfig {
  return { ...parseGemmaFields(directory, fields), headNorms: false };
}
