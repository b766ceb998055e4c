// Llama 2 and 3, tied or untied, with or without biases: the shape that the others are named after. Its files state
// which projections have biases. A model of an unknown family is read as Llama too if it is one in all but name. That is
// checked by every field of its config.json, as an unknown field hints at another computation, and by the name and shape
// of every tensor.
import { quoted } from '../../rules/inputError';
import { UNSUPPORTED, type ConfigFields } from '../checkpoint/configFields';
import { FIELDS_OF_ALL_MODELS } from './fieldsOfAllModels';
import { parseDecoderConfig, requireValue, type DecoderConfig } from '../decoder/decoderConfig';

/** The default of transformers. */
const USUAL = { max_position_embeddings: 2048 };

export function parseLlamaConfig(fields: ConfigFields): DecoderConfig {
  const mlpBias = fields.boolean('mlp_bias', false);
  return { ...parseDecoderConfig(fields.withUsual(USUAL)), mlpBias };
}

/** Fields about files, training or other tools, or read with the weights. */
export const WITHOUT_EFFECT = [
  ...FIELDS_OF_ALL_MODELS,
  '_name_or_path',
  'architectures',
  'attention_dropout',
  'bos_token_id',
  'dtype',
  'initializer_range',
  'output_attentions',
  'output_hidden_states',
  'pad_token_id',
  'pretraining_tp',
  'quantization',
  'quantization_config',
  'return_dict',
  // Stands twice if the newer object has it too.
  'rope_theta',
  'tokenizer_class',
  'torch_dtype',
  'transformers_version',
  'unk_token_id',
  'use_cache',
];

/** Fields that change nothing as long as they have this value. */
const UNCHANGING: Readonly<Record<string, unknown>> = {
  add_cross_attention: false,
  is_encoder_decoder: false,
  partial_rotary_factor: 1,
  use_sliding_window: false,
  sliding_window: null,
};

/** Throws an error that names the first field that is not known to leave the Llama computation as it is. */
export function parseGenericConfig(fields: ConfigFields): DecoderConfig {
  for (const [name, usual] of Object.entries(UNCHANGING)) requireValue(fields, name, usual);
  const config = parseLlamaConfig(fields);
  const other = fields.unread().find((name) => !WITHOUT_EFFECT.includes(name));
  if (other === undefined) return config;
  const got = `${other} ${quoted(fields.raw(other))}`;
  throw fields.refusal('only fields of a Llama model', got, UNSUPPORTED);
}
