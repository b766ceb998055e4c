// Whether a config.json of an unknown family can mean nothing but the Llama computation. Every field it has must be
// one whose meaning is known: a field of another name is a hint of another computation.
import { InputError } from '../../inputError';
import type { ConfigFields } from '../configFields';
import { requireFullAttention, requireValue } from '../decoderConfig';

/** Read by the Llama parser. */
const READ = [
  'attention_bias',
  'eos_token_id',
  'head_dim',
  'hidden_act',
  'hidden_size',
  'intermediate_size',
  'layer_types',
  'max_position_embeddings',
  'mlp_bias',
  'model_type',
  'num_attention_heads',
  'num_hidden_layers',
  'num_key_value_heads',
  'quantization',
  'quantization_config',
  'rms_norm_eps',
  'rope_parameters',
  'rope_scaling',
  'rope_theta',
  'tie_word_embeddings',
  'vocab_size',
];

/** About files, training or other tools. */
const WITHOUT_EFFECT = [
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
  'return_dict',
  'tokenizer_class',
  'torch_dtype',
  'transformers_version',
  'unk_token_id',
  'use_cache',
];

/** Change nothing as long as they have this value. */
const USUAL: Readonly<Record<string, unknown>> = {
  is_encoder_decoder: false,
  partial_rotary_factor: 1,
  use_sliding_window: false,
  sliding_window: null,
};

const KNOWN = new Set([...READ, ...WITHOUT_EFFECT, ...Object.keys(USUAL)]);

/** Throws an error that names the first field that is not known to leave the Llama computation as it is. */
export function requireLlamaConfig(fields: ConfigFields): void {
  for (const [name, usual] of Object.entries(USUAL)) requireValue(fields, name, usual);
  requireFullAttention(fields);
  const other = fields.names().find((name) => !KNOWN.has(name) && fields.has(name));
  if (other === undefined) return;
  throw new InputError({
    expected: `only fields of a Llama model in ${fields.source}`,
    got: `${other} ${JSON.stringify(fields.raw(other)).slice(0, 60)}`,
    remedy: 'choose a supported model',
  });
}
