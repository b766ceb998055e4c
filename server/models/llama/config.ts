// config.json of a Llama checkpoint, whose files say themselves which projections have biases.
import type { ConfigFields } from '../configFields';
import { parseDecoderConfig, requireFullAttention, type DecoderConfig } from '../decoderConfig';

export function parseLlamaConfig(directory: string, fields: ConfigFields): DecoderConfig {
  requireFullAttention(fields);
  return {
    ...parseDecoderConfig(directory, fields),
    headNorms: false,
    mlpBias: fields.has('mlp_bias') && fields.boolean('mlp_bias'),
  };
}
