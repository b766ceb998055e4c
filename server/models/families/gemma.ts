// Gemma 1 to 3: the Llama shape with a GELU gate, norms stored minus 1 and scaled embeddings. From Gemma 2 on, layers
// have norms before and after attention and MLP, and some have a window. Gemma 3 adds norms per head and a rotation per
// kind of layer; its text part can belong to a model that also reads images.
import type { ConfigFields } from '../checkpoint/configFields';
import {
  parseDecoderFields,
  textFields,
  type DecoderConfig,
  type LayerRules,
} from '../decoder/decoderConfig';
import { parseLayerRopes, parseRope } from '../decoder/ropeConfig';

/** Names of the activation: the first files say gelu, although the networks were trained with its tanh form. */
const ACTIVATIONS: readonly unknown[] = ['gelu_pytorch_tanh', 'gelu'];

/** Defaults of Gemma 3 in transformers; published files omit fields with these values. */
const DEFAULTS = {
  vocab_size: 262208,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 256,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 131072,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
};
/** Default base of the rotation of full layers in Gemma 3. */
const DEFAULT_THETA = 1e6;
const IMAGE_PART = /^(model\.)?(vision_tower|multi_modal_projector)\./;

/** Defaults of Gemma 1 and 2. */
const EARLIER_DEFAULTS = {
  head_dim: 256,
  max_position_embeddings: 8192,
  query_pre_attn_scalar: 256,
  sliding_window: 4096,
};

/** Parses the config of Gemma 1. Throws UserError for a variant that is not supported. */
export function parseGemmaConfig(fields: ConfigFields): DecoderConfig {
  const common = parseCommon(fields.withDefaults(EARLIER_DEFAULTS));
  return { ...common, rope: parseRope(fields, common.headDim) };
}

/** Parses the config of Gemma 2. Throws UserError for a variant that is not supported. */
export function parseGemma2Config(file: ConfigFields): DecoderConfig {
  const fields = file.withDefaults(EARLIER_DEFAULTS);
  const common = parseCommon(fields, { otherType: 'sliding_attention', fullEvery: 2 });
  const rope = parseRope(fields, common.headDim);
  const window = fields.integer('sliding_window');
  return {
    ...common,
    sandwichNorms: true,
    rope,
    sliding: { rope, window },
    attentionScale: fields.number('query_pre_attn_scalar') ** -0.5,
    attnLogitSoftcapping: parseCap(fields, 'attn_logit_softcapping', 50),
    finalLogitSoftcapping: parseCap(fields, 'final_logit_softcapping', 30),
  };
}

/**
 * Parses the config of Gemma 3, or of a model that also reads images. Throws UserError for a variant that is not
 * supported.
 */
export function parseGemma3Config(fields: ConfigFields): DecoderConfig {
  // Image models nest the fields of their text part, but not the end tokens.
  const text = textFields(fields, ['eos_token_id'], DEFAULTS);
  for (const name of ['attn_logit_softcapping', 'final_logit_softcapping']) text.allowOnly(name, [null]);
  const pattern = ['sliding_window_pattern', '_sliding_window_pattern'].find((field) => text.isSet(field));
  const fullEvery = pattern === undefined ? 6 : text.integer(pattern);
  const common = parseCommon(text, { otherType: 'sliding_attention', fullEvery });
  const ropes = parseLayerRopes(text, common.headDim, DEFAULT_THETA);
  return {
    ...common,
    sandwichNorms: true,
    headNorms: true,
    rope: ropes.fullAttention,
    sliding: { rope: ropes.slidingAttention, window: text.integer('sliding_window') },
    attentionScale: text.number('query_pre_attn_scalar') ** -0.5,
    otherParts: IMAGE_PART,
  };
}

/** Parses the fields that the three generations have in common. */
function parseCommon(fields: ConfigFields, rules?: LayerRules): Omit<DecoderConfig, 'rope'> {
  for (const name of ['hidden_act', 'hidden_activation']) fields.allowOnly(name, ACTIVATIONS);
  fields.allowOnly('use_bidirectional_attention', [false]);
  const common = parseDecoderFields(fields, rules);
  return { ...common, activation: 'gelu', normOffset: 1, embeddingScale: Math.sqrt(common.hiddenSize) };
}

/** Parses a soft cap: null, 0 and false mean none, and an absent field means the published value. */
function parseCap(fields: ConfigFields, name: string, published: number): number | undefined {
  if (fields.raw(name) === undefined) return published;
  return fields.isSet(name) ? fields.number(name) : undefined;
}
