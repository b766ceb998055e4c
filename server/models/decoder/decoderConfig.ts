// The fields of config.json that decoders of the Llama shape have in common. Each family adds its own fields, and
// refuses variants that it does not compute.
import { join } from 'node:path';
import { ConfigFields, PUBLISHED } from '../checkpoint/configFields';
import type { AttentionSizes, QueryScaling } from './attention';
import type { BlockSizes } from './decoderBlock';
import type { ExpertSizes } from './experts';
import type { MlpSizes } from './gatedMlp';
import type { PerLayerSizes } from './perLayerInputs';
import { parseRope, type RopeConfig } from './ropeConfig';
import type { SparseConfig } from './sparseMlp';
import type { TargetConfig } from './target';

const MAX_HEAD_DIM = 1024;

/** Kind of the mixer of a layer, as config.json names it. */
export type LayerType = 'full_attention' | 'sliding_attention' | 'linear_attention';

/** Sizes of the heads of a layer that can differ between kinds of layers. */
export interface HeadSizes {
  readonly headDim: number;
  readonly numKeyValueHeads: number;
}

export interface DecoderConfig extends TargetConfig, AttentionSizes, MlpSizes, BlockSizes {
  /** Whether the token table is the output head too; undefined if the file does not say, so that the weights decide. */
  readonly tieWordEmbeddings: boolean | undefined;
  readonly layerTypes: readonly LayerType[];
  /** Rotation of full layers, which attend to everything before a row. */
  readonly rope: RopeConfig;
  /** Rotation of sliding layers, and the number of positions that a row attends to, its own included. */
  readonly sliding?: { readonly rope: RopeConfig; readonly window: number } | undefined;
  /** Scaling of queries by their position; none by default. */
  readonly queryScaling?: QueryScaling | undefined;
  /** Sizes in which the heads of full layers differ from those of sliding ones. */
  readonly fullHeads?: HeadSizes & { readonly keysAsValues: boolean };
  /** First layer that shares the cache of an earlier layer, and the width of the MLPs from there on. */
  readonly sharing?: { readonly firstLayer: number; readonly intermediateSize: number } | undefined;
  /** Mixture of experts in place of MLPs; absent if every layer has an MLP. */
  readonly sparse?: SparseConfig | undefined;
  /** Experts of every layer, in parallel to its MLP. */
  readonly parallelExperts?: ExpertSizes | undefined;
  /** Additional inputs of every layer. */
  readonly perLayer?: PerLayerSizes | undefined;
  /** Matches the names, without the prefix, of tensors that do not belong to the decoder. */
  readonly otherParts?: RegExp | undefined;
  /** Number to add to the file's norm weights; 0 by default. */
  readonly normOffset?: number | undefined;
  /** Factor of embedded rows; 1 by default. */
  readonly embeddingScale?: number | undefined;
  /** Soft cap of the logits; none by default. */
  readonly finalLogitSoftcapping?: number | undefined;
}

/** The types of layers that a family can have. */
export interface LayerRules {
  /** Type of the layers that are not full ones; by default all are full. */
  readonly otherType?: LayerType;
  /** Distance between full layers if the file does not name the types. */
  readonly fullEvery: number;
}

/** Default epsilon of norms in transformers, of all families but Ministral 3. */
const DEFAULT_EPS = 1e-6;
/** Names of x · sigmoid(x). */
export const SILU: readonly unknown[] = ['silu', 'swish'];

/** Parses the common fields. The activation must be silu, and all layers have one rotation. Throws UserError. */
export function parseDecoderConfig(fields: ConfigFields, rules?: LayerRules): DecoderConfig {
  fields.allowOnly('hidden_act', SILU);
  const common = parseDecoderFields(fields, rules);
  return { ...common, rope: parseRope(fields, common.headDim) };
}

/**
 * Parses the common fields except activation and rotation, for a family that parses these itself. Throws UserError.
 */
export function parseDecoderFields(
  fields: ConfigFields,
  rules: LayerRules = { fullEvery: 1 },
): Omit<DecoderConfig, 'rope'> {
  const numHiddenLayers = fields.integer('num_hidden_layers', { max: 1024 });
  return {
    modelType: fields.string('model_type'),
    ...parseAttentionSizes(fields),
    numHiddenLayers,
    layerTypes: parseLayerTypes(fields, numHiddenLayers, rules),
    vocabSize: fields.integer('vocab_size', { max: 2 ** 24 }),
    intermediateSize: fields.integer('intermediate_size'),
    maxPositionEmbeddings: fields.integer('max_position_embeddings'),
    tieWordEmbeddings: fields.has('tie_word_embeddings') ? fields.boolean('tie_word_embeddings') : undefined,
    eosTokenIds: parseEosTokenIds(fields),
  };
}

/** Parses the type of each layer. Throws UserError for a wrong number of types or one that no rule names. */
export function parseLayerTypes(
  fields: ConfigFields,
  numHiddenLayers: number,
  { otherType = 'full_attention', fullEvery }: LayerRules,
): LayerType[] {
  if (!fields.isSet('layer_types')) {
    const typeOf = (layer: number) => ((layer + 1) % fullEvery === 0 ? 'full_attention' : otherType);
    return Array.from({ length: numHiddenLayers }, (_, i) => typeOf(i));
  }
  const types = [...new Set([otherType, 'full_attention' as const])];
  const names = fields.strings('layer_types');
  const layers = names.flatMap((name) => types.find((type) => type === name) ?? []);
  if (names.length === numHiddenLayers && layers.length === names.length) return layers;
  const expected = `${String(numHiddenLayers)} layer_types of ${types.join(' or ')}`;
  throw fields.refusal(expected, names.join(', '), PUBLISHED);
}

/** Parses the sizes of attention, which drafters spell in the same way. `attention_bias` means all four projections. */
export function parseAttentionSizes(fields: ConfigFields): AttentionSizes {
  const numAttentionHeads = fields.integer('num_attention_heads');
  const numKeyValueHeads = fields.integer('num_key_value_heads', { fallback: numAttentionHeads });
  if (numAttentionHeads % numKeyValueHeads !== 0) {
    throw fields.refusal(
      'num_attention_heads to be a multiple of num_key_value_heads',
      `${String(numAttentionHeads)} and ${String(numKeyValueHeads)}`,
    );
  }
  const bias = fields.boolean('attention_bias', false);
  return {
    hiddenSize: fields.integer('hidden_size'),
    numAttentionHeads,
    numKeyValueHeads,
    headDim: parseHeadDim(fields),
    rmsNormEps: fields.number('rms_norm_eps', { fallback: DEFAULT_EPS }),
    attentionBias: bias,
    outputBias: bias,
    headNorms: false,
  };
}

function parseHeadDim(fields: ConfigFields): number {
  if (fields.has('head_dim')) return parseEvenWidth(fields, 'head_dim');
  const headDim = fields.integer('hidden_size') / fields.integer('num_attention_heads');
  return requireEvenWidth(fields, 'head_dim', headDim);
}

/** Parses the width of a head. Throws UserError unless it is even and at most MAX_HEAD_DIM. */
export function parseEvenWidth(fields: ConfigFields, name: string): number {
  return requireEvenWidth(fields, name, fields.integer(name));
}

function requireEvenWidth(fields: ConfigFields, name: string, width: number): number {
  // Rotary embeddings rotate pairs of dimensions, with tables that grow with the square of the width.
  if (width % 2 === 0 && width <= MAX_HEAD_DIM) return width;
  throw fields.refusal(`an even ${name} of at most ${String(MAX_HEAD_DIM)}`, String(width));
}

/** Parses the end tokens of a config.json or generation_config.json. */
export function parseEosTokenIds(fields: ConfigFields): number[] {
  const isNamed = fields.has('eos_token_id') && fields.raw('eos_token_id') !== false;
  return isNamed ? fields.integers('eos_token_id') : [];
}

/** Returns `ids`, the end tokens of config.json, and those of generation_config.json. */
export function readEosTokenIds(directory: string, ids: readonly number[]): number[] {
  const generation = ConfigFields.readOptional(join(directory, 'generation_config.json'));
  return [...new Set([...ids, ...parseEosTokenIds(generation)])];
}

/**
 * Returns the fields of the text part, which models that also read images nest. Fields in `outerNames` are read from
 * the outer object if it has them. `defaults` has the values of fields that neither object has.
 */
export function textFields(
  fields: ConfigFields,
  outerNames: readonly string[],
  defaults: Readonly<Record<string, unknown>>,
): ConfigFields {
  const outer = outerNames
    .filter((name) => fields.has(name))
    .map((name) => [name, fields.raw(name)] as const);
  return fields.part('text_config').withDefaults(defaults).with(Object.fromEntries(outer));
}
