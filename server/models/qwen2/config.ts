// config.json of a Qwen2 or Qwen2.5 checkpoint: its biases are no field of the file.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireFullAttention, requireValue, type DecoderConfig } from '../decoderConfig';

export function parseQwen2Config(directory: string, fields: ConfigFields): DecoderConfig {
  requireValue(fields, 'use_sliding_window', false);
  requireFullAttention(fields);
  return {
    ...parseDecoderConfig(directory, fields),
    attentionBias: true,
    outputBias: false,
    headNorms: false,
  };
}
