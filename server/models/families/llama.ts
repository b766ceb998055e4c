// Llama 2 and 3, tied or untied, with or without biases: the shape that the other families are described by. Its files
// say which projections have biases.
import type { ConfigFields } from '../checkpoint/configFields';
import { parseDecoderConfig, type DecoderConfig } from '../decoder/decoderConfig';

/** Defaults of transformers. */
const DEFAULTS = { max_position_embeddings: 2048 };

/** Parses the config of a Llama. Throws UserError for a variant that is not supported. */
export function parseLlamaConfig(fields: ConfigFields): DecoderConfig {
  const mlpBias = fields.boolean('mlp_bias', false);
  return { ...parseDecoderConfig(fields.withDefaults(DEFAULTS)), mlpBias };
}
