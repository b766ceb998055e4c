// config.json of a dense Qwen3 checkpoint, parsed once. Field names as in the file, in camelCase.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireFullAttention, requireValue, type DecoderConfig } from '../decoderConfig';

export function parseQwen3Config(directory: string, fields: ConfigFields): DecoderConfig {
  requireValue(fields, 'use_sliding_window', false);
  requireFullAttention(fields);
  return { ...parseDecoderConfig(directory, fields), headNorms: true };
}
