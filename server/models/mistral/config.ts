// config.json of a Mistral checkpoint: no biases, whatever fields it has.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireFullAttention, requireValue, type DecoderConfig } from '../decoderConfig';

export function parseMistralConfig(directory: string, fields: ConfigFields): DecoderConfig {
  requireFullAttention(fields);
  requireValue(fields, 'sliding_window', null);
  return {
    ...parseDecoderConfig(directory, fields),
    attentionBias: false,
    outputBias: false,
    headNorms: false,
  };
}
