// The text part of Gemma 4: like Gemma 3, but norms are stored without an offset, values have a norm too, queries are
// not scaled, and full layers have other heads. The small models have an additional input for each layer, and layers
// that share keys and values; one model has experts in parallel to each MLP.
import { PUBLISHED, type ConfigFields } from '../checkpoint/configFields';
import {
  parseDecoderFields,
  parseEvenWidth,
  textFields,
  type DecoderConfig,
  type HeadSizes,
  type LayerType,
} from '../decoder/decoderConfig';
import type { ExpertSizes } from '../decoder/experts';
import type { PerLayerSizes } from '../decoder/perLayerInputs';
import { parseLayerRopes } from '../decoder/ropeConfig';

/** Defaults of transformers. */
const DEFAULTS = {
  vocab_size: 262144,
  head_dim: 256,
  global_head_dim: 512,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 131072,
  sliding_window: 512,
  vocab_size_per_layer_input: 262144,
};
/**
 * Defaults of gemma4_unified, the model_type of the 12B model, which never has inputs per layer and can omit their
 * width.
 */
const UNIFIED_DEFAULTS = {
  ...DEFAULTS,
  max_position_embeddings: 262144,
  sliding_window: 1024,
};
/** Default width of the inputs per layer in the other models. */
const DEFAULT_PER_LAYER = 256;
/** Default base of the rotation of full layers. */
const DEFAULT_THETA = 1e6;
const DEFAULT_ROPES = {
  sliding_attention: { rope_type: 'default', rope_theta: 1e4 },
  full_attention: { rope_type: 'proportional', rope_theta: DEFAULT_THETA, partial_rotary_factor: 0.25 },
};
/** Accepted values: with "vision", only the rows of an image attend to each other in both directions. */
const BIDIRECTIONAL: readonly unknown[] = [false, 'vision'];
const OTHER_PARTS =
  '^(model\\.)?(vision_tower|vision_embedder|embed_vision|audio_tower|embed_audio|multi_modal_projector)\\.';

/**
 * Parses the config of Gemma 4, whose text part can be nested. Throws UserError for a variant that is not supported.
 */
export function parseGemma4Config(fields: ConfigFields): DecoderConfig {
  const isUnified = fields.string('model_type').startsWith('gemma4_unified');
  const defaults = isUnified ? UNIFIED_DEFAULTS : DEFAULTS;
  const text = textFields(fields, ['eos_token_id', 'tie_word_embeddings'], defaults);
  text.allowOnly('hidden_activation', ['gelu_pytorch_tanh']);
  text.allowOnly('attn_logit_softcapping', [null]);
  text.allowOnly('use_bidirectional_attention', BIDIRECTIONAL);
  const common = parseDecoderFields(text, { otherType: 'sliding_attention', fullEvery: 6 });
  const layerTypes = withFullEnd(text, common.layerTypes);
  const fullHeads = parseFullHeads(text, common, layerTypes);
  const ropes = parseLayerRopes(withRopes(text), common.headDim, DEFAULT_THETA, fullHeads.headDim);
  const sharing = parseSharing(text, layerTypes, common.intermediateSize);
  const cap = 'final_logit_softcapping';
  return {
    ...common,
    layerTypes,
    activation: 'gelu',
    embeddingScale: Math.sqrt(common.hiddenSize),
    headNorms: true,
    valueNorm: true,
    attentionScale: 1,
    sandwichNorms: true,
    layerScalar: true,
    rope: ropes.fullAttention,
    sliding: { rope: ropes.slidingAttention, window: text.integer('sliding_window') },
    fullHeads: { ...fullHeads, keysAsValues: text.boolean('attention_k_eq_v', false) },
    sharing,
    perLayer: parsePerLayer(text, common.vocabSize, isUnified ? 0 : DEFAULT_PER_LAYER),
    parallelExperts: text.boolean('enable_moe_block', false) ? parseExperts(text) : undefined,
    finalLogitSoftcapping: text.isSet(cap) ? text.number(cap) : undefined,
    otherParts: otherParts(layerTypes.length, sharing?.firstLayer),
  };
}

/** Makes the last layer a full one, as in all published models. Throws UserError if the file disagrees. */
function withFullEnd(text: ConfigFields, layerTypes: readonly LayerType[]): readonly LayerType[] {
  if (!text.has('layer_types')) return [...layerTypes.slice(0, -1), 'full_attention'];
  if (layerTypes.at(-1) === 'full_attention') return layerTypes;
  throw text.refusal('full_attention as the last of layer_types', 'sliding_attention', PUBLISHED);
}

/** Adds the default rotations. Throws UserError if `rope_parameters` lacks the rotation of a kind of layer. */
function withRopes(text: ConfigFields): ConfigFields {
  if (!text.has('rope_parameters')) {
    return text.with({ rope_parameters: DEFAULT_ROPES });
  }
  for (const type of Object.keys(DEFAULT_ROPES)) text.nested('rope_parameters').nested(type);
  return text;
}

/**
 * Parses the heads of full layers: from `per_layer_config`, as transformers writes it, or from separate fields, as
 * published. `sliding` are the heads of sliding layers.
 */
function parseFullHeads(text: ConfigFields, sliding: HeadSizes, layerTypes: readonly LayerType[]): HeadSizes {
  const heads = text.has('per_layer_config')
    ? parseHeadsByLayer(text, sliding, layerTypes)
    : parseGlobalHeads(text, sliding);
  const queries = text.integer('num_attention_heads');
  if (queries % heads.numKeyValueHeads === 0) return heads;
  throw text.refusal(
    'num_attention_heads to be a multiple of the key and value heads of each layer',
    `${String(queries)} and ${String(heads.numKeyValueHeads)}`,
  );
}

/** Parses the separate fields. As in transformers, the number of heads differs only if keys also serve as values. */
function parseGlobalHeads(text: ConfigFields, { numKeyValueHeads }: HeadSizes): HeadSizes {
  const name = 'num_global_key_value_heads';
  const differs = text.boolean('attention_k_eq_v', false) && text.has(name);
  return {
    headDim: parseEvenWidth(text, 'global_head_dim'),
    numKeyValueHeads: differs ? text.integer(name) : numKeyValueHeads,
  };
}

/** Parses `per_layer_config`. All layers of a type must be alike, and sliding ones must match the outer fields. */
function parseHeadsByLayer(
  text: ConfigFields,
  sliding: HeadSizes,
  layerTypes: readonly LayerType[],
): HeadSizes {
  const layers = text.nested('per_layer_config');
  const stray = layers.names().find((name) => !/^\d+$/.test(name) || Number(name) >= layerTypes.length);
  if (stray !== undefined) {
    throw layers.refusal(`indices of ${String(layerTypes.length)} layers`, stray, PUBLISHED);
  }
  const full = parseHeads(layers, layerTypes.indexOf('full_attention'), sliding);
  for (const [i, type] of layerTypes.entries()) {
    const heads = parseHeads(layers, i, sliding);
    const expected = type === 'full_attention' ? full : sliding;
    if (heads.headDim === expected.headDim && heads.numKeyValueHeads === expected.numKeyValueHeads) continue;
    throw layers.refusal(
      `the same heads in all layers of ${type}`,
      `different heads in layer ${String(i)}`,
      PUBLISHED,
    );
  }
  return full;
}

/** Parses the heads of one layer; the fields that it omits are those of `sliding`. */
function parseHeads(layers: ConfigFields, layer: number, sliding: HeadSizes): HeadSizes {
  const name = String(layer);
  if (!layers.has(name)) return sliding;
  const layerFields = layers.nested(name);
  const heads = {
    headDim: layerFields.has('head_dim') ? parseEvenWidth(layerFields, 'head_dim') : sliding.headDim,
    numKeyValueHeads: layerFields.has('num_key_value_heads')
      ? layerFields.integer('num_key_value_heads')
      : sliding.numKeyValueHeads,
  };
  const [unread] = layerFields.unread();
  if (unread === undefined) return heads;
  throw layerFields.refusal('only head_dim and num_key_value_heads', unread, PUBLISHED);
}

/** Parses how many of the last layers share keys and values with earlier ones; their MLPs can be twice as wide. */
function parseSharing(
  text: ConfigFields,
  layerTypes: readonly LayerType[],
  width: number,
): DecoderConfig['sharing'] {
  const name = 'num_kv_shared_layers';
  const count = text.isSet(name) ? text.integer(name, { max: layerTypes.length - 1 }) : 0;
  const wide = text.boolean('use_double_wide_mlp', false);
  if (count === 0) return undefined;
  const firstLayer = layerTypes.length - count;
  const before = layerTypes.slice(0, firstLayer);
  const missing = layerTypes.find((type) => !before.includes(type));
  if (missing === undefined) return { firstLayer, intermediateSize: wide ? 2 * width : width };
  const expected = `${name} to leave a layer of ${missing} with keys and values of its own`;
  throw text.refusal(expected, String(count), PUBLISHED);
}

/** Parses the inputs per layer; undefined without them. `fallback` is their default width, 0 for none. */
function parsePerLayer(text: ConfigFields, vocabSize: number, fallback: number): PerLayerSizes | undefined {
  const name = 'hidden_size_per_layer_input';
  const isSet = text.raw(name) === undefined ? fallback > 0 : text.isSet(name);
  if (!isSet) return undefined;
  const hiddenSizePerLayerInput = text.integer(name, { fallback });
  // Every token needs a row of this table too.
  const vocabSizePerLayerInput = text.integer('vocab_size_per_layer_input', { min: vocabSize });
  return { hiddenSizePerLayerInput, vocabSizePerLayerInput };
}

function parseExperts(text: ConfigFields): ExpertSizes {
  const numExperts = text.integer('num_experts');
  return {
    hiddenSize: text.integer('hidden_size'),
    numExperts,
    numExpertsPerTok: text.integer('top_k_experts', { max: numExperts }),
    moeIntermediateSize: text.integer('moe_intermediate_size'),
    activation: 'gelu',
  };
}

/**
 * Matches the parts for images and sounds, and the unused keys and values that published files have for sharing layers.
 */
function otherParts(layers: number, firstSharing = layers): RegExp {
  const sharing = Array.from({ length: layers - firstSharing }, (_, i) => String(firstSharing + i));
  if (sharing.length === 0) return new RegExp(OTHER_PARTS);
  return new RegExp(`${OTHER_PARTS}|\\.layers\\.(${sharing.join('|')})\\.self_attn\\.[kv]_(proj|norm)\\.`);
}
