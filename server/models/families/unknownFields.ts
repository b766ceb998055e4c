// Finds fields of a config.json that no parser has read and that are not known to be harmless. Such a field can mean
// that the model computes something that Flashline does not, so the log names it.
import type { ConfigFields } from '../checkpoint/configFields';
import { WITHOUT_EFFECT } from './generic';

/**
 * Fields that do not affect how a text is computed, that have the same value in all models of their family, or that
 * matter only in the text part of a config, where the parser reads them.
 */
const KNOWN_WITHOUT_EFFECT = new Set([
  ...WITHOUT_EFFECT,
  'cache_implementation',
  'head_dim',
  'hidden_size',
  'intermediate_size',
  'is_encoder_decoder',
  'language_model_only',
  'mamba_ssm_dtype',
  'max_window_layers',
  'mlp_only_layers',
  'model_type',
  'mtp_num_hidden_layers',
  'mtp_use_dedicated_embeddings',
  'output_router_logits',
  'partial_rotary_factor',
  'qkv_bias',
  'rope_local_base_freq',
  'router_aux_loss_coef',
  'router_jitter_noise',
  'shared_expert_intermediate_size',
  'sliding_window',
  'tie_word_embeddings',
  'use_bidirectional_attention',
  'use_mrope',
  'use_qk_norm',
  'use_sliding_window',
  'vocab_size_per_layer_input',
]);
/** Fields about images and sounds. */
const MEDIA_FIELD = /^(vision|audio|image|video|boi|eoi|boa|eoa|mm|multimodal|projector|spatial)_/;

/** Lists the names of unread fields that are not known to be harmless. Call it after the parser. */
export function unknownFields(fields: ConfigFields): string[] {
  const unread = new Set([...fields.unread(), ...fields.part('text_config').unread()]);
  return [...unread].filter((name) => !KNOWN_WITHOUT_EFFECT.has(name) && !MEDIA_FIELD.test(name));
}
