// The fields of config.json that decoders of the Llama shape have in common, parsed once, and what a family may refuse.
// Knows no family: each adds its own.
import { join } from 'node:path';
import { quoted } from '../../rules/inputError';
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

/** What mixes the rows of a layer, in the words of config.json. */
export type LayerType = 'full_attention' | 'sliding_attention' | 'linear_attention';

export interface DecoderConfig extends TargetConfig, AttentionSizes, MlpSizes, BlockSizes {
  /** Undefined if the file does not say: then the weights decide. */
  readonly tieWordEmbeddings: boolean | undefined;
  readonly layerTypes: readonly LayerType[];
  /** The rotation of full layers, which see everything before them. */
  readonly rope: RopeConfig;
  /** The rotation of sliding layers, and how many positions a row of theirs sees, its own included. */
  readonly sliding?: { readonly rope: RopeConfig; readonly window: number } | undefined;
  /** Queries grow with their position; not at all by default. */
  readonly queryScaling?: QueryScaling | undefined;
  /** How the heads of full layers differ from those of sliding ones. */
  readonly fullHeads?: Partial<Pick<AttentionSizes, 'headDim' | 'numKeyValueHeads' | 'keysAsValues'>>;
  /** Layers from `firstLayer` on use the keys and values of an earlier layer; the width is that of their MLPs. */
  readonly sharing?: { readonly firstLayer: number; readonly intermediateSize: number } | undefined;
  /** Absent where every layer has an MLP. */
  readonly sparse?: SparseConfig | undefined;
  /** Experts that every layer has beside its MLP. */
  readonly expertsBeside?: ExpertSizes | undefined;
  /** Additional inputs of every layer. */
  readonly perLayer?: PerLayerSizes | undefined;
  /** Tensors of the checkpoint that are no part of the decoder. */
  readonly otherParts?: RegExp | undefined;
  /** What has to be added to the file's norm weights; nothing by default. */
  readonly normOffset?: number | undefined;
  /** Factor of embeddings before the first layer; 1 by default. */
  readonly embeddingScale?: number | undefined;
  /** Soft cap of the logits; none by default. */
  readonly finalLogitSoftcapping?: number | undefined;
}

/** Which layers a family may have besides full ones; without other types all layers are full. */
export interface LayerRules {
  readonly other?: LayerType;
  /** One layer out of this many is full if the file does not say. */
  readonly every: number;
}

/** What all families of transformers assume where a file does not say. */
const USUAL_EPS = 1e-6;
/** Both are names of x · sigmoid(x). */
export const SILU: readonly unknown[] = ['silu', 'swish'];

/** Everything but what only the family knows. The gate must go through silu. */
export function parseDecoderConfig(fields: ConfigFields, rules?: LayerRules): DecoderConfig {
  requireOneOf(fields, 'hidden_act', SILU);
  const common = parseDecoderFields(fields, rules);
  return { ...common, rope: parseRope(fields, common.headDim) };
}

/** The same for a family that knows its activation and how its layers are rotated. */
export function parseDecoderFields(
  fields: ConfigFields,
  rules: LayerRules = { every: 1 },
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

/** One per layer. Refuses types that `rules` do not name: such layers see less, or work differently. */
export function parseLayerTypes(
  fields: ConfigFields,
  numHiddenLayers: number,
  { other = 'full_attention', every }: LayerRules,
): LayerType[] {
  if (!fields.isSet('layer_types')) {
    const usual = (layer: number) => ((layer + 1) % every === 0 ? 'full_attention' : other);
    return Array.from({ length: numHiddenLayers }, (_, i) => usual(i));
  }
  const types = [...new Set([other, 'full_attention' as const])];
  const names = fields.strings('layer_types');
  const known = types.filter((type) => names.includes(type));
  const layers = names.flatMap((name) => known.find((type) => type === name) ?? []);
  if (names.length === numHiddenLayers && layers.length === names.length) return layers;
  const expected = `${String(numHiddenLayers)} layer_types of ${types.join(' or ')}`;
  throw fields.refusal(expected, names.join(', '), PUBLISHED);
}

/** The attention fields, which drafters spell the same way. A file that has biases means all four. */
export function parseAttentionSizes(fields: ConfigFields): AttentionSizes {
  const numAttentionHeads = fields.integer('num_attention_heads');
  const numKeyValueHeads = fields.integer('num_key_value_heads', { usual: numAttentionHeads });
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
    rmsNormEps: fields.number('rms_norm_eps', { usual: USUAL_EPS }),
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

/** The width of a head, in the field of that name. */
export function parseEvenWidth(fields: ConfigFields, name: string): number {
  return requireEvenWidth(fields, name, fields.integer(name));
}

function requireEvenWidth(fields: ConfigFields, name: string, width: number): number {
  // Rotary embeddings rotate pairs, with a table whose size grows with the square.
  if (width % 2 === 0 && width <= MAX_HEAD_DIM) return width;
  throw fields.refusal(`an even ${name} of at most ${String(MAX_HEAD_DIM)}`, String(width));
}

/** End tokens of a config.json or generation_config.json. */
export function parseEosTokenIds(fields: ConfigFields): number[] {
  const isNamed = fields.has('eos_token_id') && fields.raw('eos_token_id') !== false;
  return isNamed ? fields.integers('eos_token_id') : [];
}

/** End tokens of config.json, `ids`, and those of generation_config.json beside it. */
export function readEosTokenIds(directory: string, ids: readonly number[]): number[] {
  const generation = ConfigFields.readOptional(join(directory, 'generation_config.json'));
  return [...new Set([...ids, ...parseEosTokenIds(generation)])];
}

/**
 * The fields of the text part, which models that also read images nest; those that `whole` names may also stand
 * outside. `usual` has the defaults.
 */
export function textFields(
  fields: ConfigFields,
  whole: readonly string[],
  usual: Readonly<Record<string, unknown>>,
): ConfigFields {
  const outer = whole.filter((name) => fields.has(name)).map((name) => [name, fields.raw(name)] as const);
  return fields.part('text_config').withUsual(usual).with(Object.fromEntries(outer));
}

/** Refuses a variant that Flashline does not compute; an absent field means the usual one. */
export function requireValue(fields: ConfigFields, name: string, expected: unknown): void {
  requireOneOf(fields, name, [expected]);
}

/** The same for a value with several names; where one is null or false, whatever means none is taken. */
export function requireOneOf(fields: ConfigFields, name: string, expected: readonly unknown[]): void {
  if (!fields.has(name) || expected.includes(fields.raw(name))) return;
  const mayBeNone = expected.includes(null) || expected.includes(false);
  if (mayBeNone && !fields.isSet(name)) return;
  throw fields.refusal(
    `${name} ${expected.map((each) => quoted(each)).join(' or ')}`,
    quoted(fields.raw(name)),
    PUBLISHED,
  );
}
