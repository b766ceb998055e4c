// Computes the size of a model in bytes and parameters, by its config and the size of its weight files. Fields that
// published files omit have the defaults of their families; test/models/families/publishedForms.test.ts compares the
// results with the caches of these models.
import { UserError } from '../../rules/userError';
import { fieldsOf } from '../../rules/json';
import type { ConfigFields } from './configFields';
import { expertsField } from './expertsField';
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

/** Default head width of Qwen3, which does not follow from its other sizes. */
const QWEN3_WIDTH = 128;
/** Distance between full layers in families whose other layers have a window; Infinity if all layers have it. */
const WINDOWED_FAMILIES: ReadonlyMap<unknown, number> = new Map([
  ['gemma2', 2],
  ['gemma3', 6],
  ['gemma3_text', 6],
  ['mistral', Infinity],
]);
const MAX_LAYERS = 1024;

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
  const types = ownLayerTypes(text);
  const count = (type: string): number => types.filter((layerType) => layerType === type).length;
  const sliding = text.has('sliding_window') ? count('sliding_attention') : 0;
  // In Gemma 4 the heads of full layers can differ from those of sliding ones.
  const differs = text.boolean('attention_k_eq_v', false);
  const fullHeads = differs ? text.integer('num_global_key_value_heads', { fallback: keyHeads }) : keyHeads;
  const fullWidth = text.integer('global_head_dim', { fallback: width });
  // Recurrent layers keep no keys and values.
  const full = bytesOf(types.length - count('linear_attention') - sliding, fullHeads * fullWidth);
  if (sliding === 0) return { cacheBytesPerToken: full };
  const windowed = bytesOf(sliding, keyHeads * width);
  const window = { tokens: text.integer('sliding_window'), cacheBytesPerToken: windowed };
  return { cacheBytesPerToken: full + windowed, window };
}

/** Returns the width of a head if the config omits it. */
function defaultWidth(text: ConfigFields, heads: number): number {
  return text.raw('model_type') === 'qwen3' ? QWEN3_WIDTH : Math.ceil(text.integer('hidden_size') / heads);
}

/** Returns the types of the layers with their own cache: in Gemma 4, the last layers can share earlier caches. */
function ownLayerTypes(text: ConfigFields): string[] {
  const name = 'num_kv_shared_layers';
  const types = text.has('layer_types') ? text.strings('layer_types') : defaultLayerTypes(text);
  return types.slice(0, types.length - (text.isSet(name) ? text.integer(name, { max: types.length }) : 0));
}

/** Returns the types of the layers if the config does not list them. */
function defaultLayerTypes(text: ConfigFields): string[] {
  const [otherType, fullEvery] = layerRule(text);
  const isFull = (layer: number): boolean => (layer + 1) % fullEvery === 0;
  const layers = text.integer('num_hidden_layers', { max: MAX_LAYERS });
  return Array.from({ length: layers }, (_, i) => (isFull(i) ? 'full_attention' : otherType));
}

/** Returns the type of the layers that are not full ones, and the distance between full layers. */
function layerRule(text: ConfigFields): readonly [otherType: string, fullEvery: number] {
  if (text.has('full_attention_interval'))
    return ['linear_attention', text.integer('full_attention_interval')];
  const pattern = ['sliding_window_pattern', '_sliding_window_pattern'].find((field) => text.isSet(field));
  const fullEvery = pattern ? text.integer(pattern) : WINDOWED_FAMILIES.get(text.raw('model_type'));
  return fullEvery === undefined ? ['full_attention', 1] : ['sliding_attention', fullEvery];
}
