// Computes the size of a model in bytes and parameters, by its config and the size of its weight files, and finds the
// bits per weight and the field with the number of experts in a config.
import { UserError } from '../../rules/userError';
import { fieldsOf } from '../../rules/json';
import type { ConfigFields } from './configFields';
import { allocatedRows, windowRows } from './windowRows';

export interface ModelSizes {
  readonly parameters: number;
  /** Parameters that one token uses: fewer than all in a mixture of experts. */
  readonly activeParameters: number;
  /** Bytes of the weights, on disk and on a GPU. */
  readonly weightBytes: number;
  /** Bytes of the keys and values of one token in bfloat16, over all layers that keep them. */
  readonly cacheBytesPerToken: number;
  /** Part of these bytes in layers with a window, and the tokens in that window. */
  readonly window?: { readonly tokens: number; readonly cacheBytesPerToken: number } | undefined;
}

export const BYTES_BF16 = 2;
/** Bits per weight for the scale and bias of its group: twice 16 bits for 64 weights. */
const SCALE_BITS = 0.5;

/**
 * Computes the sizes of a model; undefined if a field of its config is missing or wrong. Only the weight files among
 * `files` count.
 */
export function sizesOfConfig(
  config: ConfigFields,
  files: readonly { readonly name: string; readonly size: number }[],
): ModelSizes | undefined {
  const weights = files.filter(({ name }) => name.endsWith('.safetensors'));
  const weightBytes = weights.reduce((sum, { size }) => sum + Math.max(0, size), 0);
  try {
    // Targets that also read images nest their text model in text_config.
    const text = config.part('text_config');
    const parameters = Math.round((8 * weightBytes) / bitsPerParameter(config, text));
    const activeParameters = parameters - idleParameters(text);
    return { parameters, activeParameters, weightBytes, ...cacheSizes(text) };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Returns the bytes of weights with this many bits each, group scales included; 16 means not quantised. */
export function bytesOfWeights(parameters: number, bits: number): number {
  return Math.ceil((parameters * (bits === 16 ? bits : bits + SCALE_BITS)) / 8);
}

/** Returns the bytes of the keys and values of this many tokens in bfloat16. */
export function cachedBytes({ cacheBytesPerToken, window }: ModelSizes, tokens: number): number {
  const forgotten = window && Math.max(0, tokens - allocatedRows(windowRows(window.tokens).capacity));
  return tokens * cacheBytesPerToken - (forgotten ?? 0) * (window?.cacheBytesPerToken ?? 0);
}

/** Returns the bits per weight; undefined for weights that are not quantised. */
export function quantisedBits(config: ConfigFields): number | undefined {
  const { bits } = fieldsOf(config.raw('quantization') ?? config.raw('quantization_config'));
  return Number.isInteger(bits) ? Number(bits) : undefined;
}

function bitsPerParameter(config: ConfigFields, text: ConfigFields): number {
  const bits = quantisedBits(config);
  if (bits !== undefined) return bits + SCALE_BITS;
  const type = [config, text].flatMap((fields) => [fields.raw('dtype'), fields.raw('torch_dtype')]);
  return type.includes('float32') ? 32 : 16;
}

/** Returns the name of the field with the number of experts; undefined for dense models. */
export function expertsField(text: ConfigFields): string | undefined {
  // transformers 5 writes the second name for some families.
  return ['num_experts', 'num_local_experts'].find((name) => text.isSet(name));
}

/** Returns the number of parameters of the experts that a token does not visit. */
function idleParameters(text: ConfigFields): number {
  const countField = expertsField(text);
  if (countField === undefined || !text.has('moe_intermediate_size')) return 0;
  // Gemma 4 has its own name for the number of visited experts.
  const visitedField = text.has('top_k_experts') ? 'top_k_experts' : 'num_experts_per_tok';
  const idle = text.integer(countField) - text.integer(visitedField);
  const perExpert = 3 * text.integer('hidden_size') * text.integer('moe_intermediate_size');
  return Math.max(0, idle) * perExpert * text.integer('num_hidden_layers');
}

/** Returns the sizes of a token's keys and values, and of those in layers with a window. */
function cacheSizes(text: ConfigFields) {
  const heads = text.integer('num_attention_heads');
  const keyHeads = text.integer('num_key_value_heads', { fallback: heads });
  const width = text.integer('head_dim', { fallback: defaultWidth(text, heads) });
  const bytesOf = (layers: number, rowWidth: number): number => 2 * BYTES_BF16 * layers * rowWidth;
  const sliding = text.has('sliding_window') ? layersOf(text, 'sliding_attention') : 0;
  // In Gemma 4 the heads of full layers can differ from those of sliding ones.
  const differs = text.boolean('attention_k_eq_v', false);
  const fullHeads = differs ? text.integer('num_global_key_value_heads', { fallback: keyHeads }) : keyHeads;
  const fullWidth = text.integer('global_head_dim', { fallback: width });
  const full = bytesOf(attentionLayers(text) - sliding, fullHeads * fullWidth);
  if (sliding === 0) return { cacheBytesPerToken: full };
  const windowed = bytesOf(sliding, keyHeads * width);
  const window = { tokens: text.integer('sliding_window'), cacheBytesPerToken: windowed };
  return { cacheBytesPerToken: full + windowed, window };
}

/** Default head width of Qwen3, which does not follow from its other sizes. */
const QWEN3_WIDTH = 128;

/** Returns the width of a head if the config omits it. */
function defaultWidth(text: ConfigFields, heads: number): number {
  return text.raw('model_type') === 'qwen3' ? QWEN3_WIDTH : Math.ceil(text.integer('hidden_size') / heads);
}

/** Returns the number of layers that keep keys and values; recurrent layers keep none. */
function attentionLayers(text: ConfigFields): number {
  if (text.has('layer_types')) return ownLayerTypes(text).length - layersOf(text, 'linear_attention');
  const interval = text.has('full_attention_interval') ? text.integer('full_attention_interval') : 1;
  return Math.ceil(text.integer('num_hidden_layers') / interval);
}

function layersOf(text: ConfigFields, type: string): number {
  return text.has('layer_types') ? ownLayerTypes(text).filter((layerType) => layerType === type).length : 0;
}

/** Returns the types of the layers with their own cache: in Gemma 4, the last layers can share earlier caches. */
function ownLayerTypes(text: ConfigFields): string[] {
  const name = 'num_kv_shared_layers';
  const types = text.strings('layer_types');
  return types.slice(0, types.length - (text.isSet(name) ? text.integer(name, { max: types.length }) : 0));
}
