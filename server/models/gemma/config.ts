// config.json of a Gemma checkpoint of the first generation. Field names as in the file, in camelCase.
import type { ConfigFields } from '../configFields';
import type { DecoderConfig } from '../decoderConfig';
import { parseGemmaFields } from '../gemmaFields';
import { parseRope } from '../ropeConfig';

export function parseGemmaConfig(directory: string, fields: ConfigFields): DecoderConfig {
  const common = parseGemmaFields(directory, fields);
  return { ...common, headNorms: false, rope: parseRope(fields, common.headDim) };
}
