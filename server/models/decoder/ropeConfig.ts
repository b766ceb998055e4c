// The rotation of a checkpoint's heads, as its config.json describes it: in `rope_parameters` or in the older fields,
// for all layers or per kind of layer. Scalings let a model read longer texts than it was first trained on. rope.ts has
// the arithmetic.
import { PUBLISHED, type ConfigFields } from '../checkpoint/configFields';

/** Divides positions by `factor`. */
interface LinearScaling {
  readonly type: 'linear';
  readonly factor: number;
}

/** Divides the frequency of long waves by `factor`, keeps that of short ones, and mixes both for waves between. */
export interface Llama3Scaling {
  readonly type: 'llama3';
  readonly factor: number;
  /** The original length divided by this is the longest mixed wave. */
  readonly lowFreqFactor: number;
  /** The original length divided by this is the shortest mixed wave. */
  readonly highFreqFactor: number;
  readonly originalMaxPositionEmbeddings: number;
}

/**
 * Divides the frequency of slowly turning pairs by `factor`, keeps that of fast ones, with a ramp between, and scales
 * queries and keys by `attentionFactor`.
 */
export interface YarnScaling {
  readonly type: 'yarn';
  readonly factor: number;
  readonly originalMaxPositionEmbeddings: number;
  /** Full turns within the original length of the last pair that is kept. */
  readonly betaFast: number;
  /** Full turns within the original length of the first pair that is fully slowed. */
  readonly betaSlow: number;
  readonly attentionFactor: number;
  /** Whether the ramp can begin and end between two pairs; otherwise its ends are rounded to whole pairs. */
  readonly exactRamp?: true;
}

/** Rotates only the first `rotatedPairs` pairs of a head, with frequencies divided by `factor`. */
interface ProportionalScaling {
  readonly type: 'proportional';
  readonly factor: number;
  readonly rotatedPairs: number;
}

export type RopeScaling = LinearScaling | Llama3Scaling | YarnScaling | ProportionalScaling;

export interface RopeConfig {
  readonly headDim: number;
  /** Rotated dimensions of a head, from the first; all by default. */
  readonly rotaryDim?: number;
  readonly ropeTheta: number;
  /** Absent for the default form. */
  readonly scaling?: RopeScaling;
}

/** Default base of most families. */
const DEFAULT_THETA = 10000;

/**
 * Reads `rope_theta` with `rope_scaling`, or the newer `rope_parameters` that holds both. Throws UserError
 * for a rotation per kind of layer, and for a scaling that is not supported.
 */
export function parseRope(config: ConfigFields, headDim: number, defaultTheta = DEFAULT_THETA): RopeConfig {
  const newer = newerForm(config);
  const fields = newer ?? config;
  const perLayer = newer?.names().find((name) => name.endsWith('_attention'));
  if (perLayer !== undefined)
    throw fields.refusal('one rotation for all layers', `a separate one for ${perLayer}`, PUBLISHED);
  const scaling = config.isSet('rope_scaling') ? config.nested('rope_scaling') : fields;
  const ropeTheta = parseTheta([fields, config, scaling], defaultTheta);
  return { ...parseForm({ fields, scaling, config }, headDim), ropeTheta };
}

/**
 * Reads `rope_parameters` with an object per layer type, or the older fields, in which sliding layers have
 * the base `rope_local_base_freq` and no scaling. `defaultTheta` and `fullHeadDim` are the default base and
 * the head width of full layers. Throws UserError.
 */
export function parseLayerRopes(
  config: ConfigFields,
  headDim: number,
  defaultTheta: number,
  fullHeadDim = headDim,
) {
  const newer = newerForm(config);
  const slidingTheta = config.number('rope_local_base_freq', { fallback: DEFAULT_THETA });
  if (newer?.names().some((name) => name.endsWith('_attention'))) {
    const parseKind = (name: string, width: number): RopeConfig => {
      const fields = newer.nested(name);
      const ropeTheta =
        name === 'full_attention'
          ? parseTheta([fields, config], defaultTheta)
          : parseTheta([fields], slidingTheta);
      return { ...parseForm({ fields, scaling: fields, config }, width), ropeTheta };
    };
    return {
      fullAttention: parseKind('full_attention', fullHeadDim),
      slidingAttention: parseKind('sliding_attention', headDim),
    };
  }
  const slidingAttention: RopeConfig = { headDim, ropeTheta: slidingTheta };
  return { fullAttention: parseRope(config, fullHeadDim, defaultTheta), slidingAttention };
}

function newerForm(config: ConfigFields): ConfigFields | undefined {
  return config.isSet('rope_parameters') ? config.nested('rope_parameters') : undefined;
}

/** Reads the base from the first object that has one. */
function parseTheta(holders: readonly ConfigFields[], fallback: number): number {
  const holder = holders.find((fields) => fields.has('rope_theta'));
  return holder?.number('rope_theta') ?? fallback;
}

/** The objects that describe a rotation; the last two can be the same object as the first. */
interface RopeFields {
  /** The config.json, or its text part. */
  readonly config: ConfigFields;
  /** `rope_parameters` or the part of it for a kind of layer. */
  readonly fields: ConfigFields;
  /** `rope_scaling`, or `fields` without it. */
  readonly scaling: ConfigFields;
}

/** Reads the scaling and the rotated dimensions. Parameters that `fields` and `scaling` omit are read from `config`. */
function parseForm({ fields, scaling, config }: RopeFields, headDim: number): Omit<RopeConfig, 'ropeTheta'> {
  const name = 'partial_rotary_factor';
  const holder = [fields, scaling].find((candidate) => candidate.has(name)) ?? config;
  const factor = holder.number(name, { max: 1, fallback: 1 });
  const form = parseScaling(scaling, config, () => rotatedPairs(headDim, factor, holder));
  const isPartial = factor < 1 && form?.type !== 'proportional';
  return {
    headDim,
    ...(isPartial && { rotaryDim: rotaryDim(headDim, factor, holder) }),
    ...(form && { scaling: form }),
  };
}

function rotatedPairs(headDim: number, factor: number, fields: ConfigFields): number {
  const pairs = Math.floor((headDim * factor) / 2);
  if (pairs > 0) return pairs;
  throw fields.refusal('partial_rotary_factor to rotate a pair of dimensions', String(factor));
}

function rotaryDim(headDim: number, factor: number, fields: ConfigFields): number {
  const dim = Math.floor(headDim * factor);
  if (dim > 0 && dim % 2 === 0) return dim;
  const expected = `partial_rotary_factor to rotate an even number of ${String(headDim)} dimensions`;
  throw fields.refusal(expected, String(dim));
}

/** Returns the scaling; undefined for the default form. `pairs` returns the number of rotated pairs. */
function parseScaling(
  fields: ConfigFields,
  config: ConfigFields,
  pairs: () => number,
): RopeScaling | undefined {
  const typeField = ['rope_type', 'type'].find((name) => fields.has(name));
  const type = typeField === undefined ? 'default' : fields.string(typeField);
  switch (type) {
    case 'default':
      return undefined;
    case 'linear':
      return { type, factor: fields.number('factor') };
    case 'llama3':
      return parseLlama3(fields, config);
    case 'yarn':
      return parseYarn(fields, config);
    case 'dynamic':
      return parseDynamic(fields);
    case 'proportional':
      return { type, factor: fields.number('factor', { fallback: 1 }), rotatedPairs: pairs() };
    default:
      throw fields.refusal(
        'rope_type default, linear, dynamic, llama3, yarn or proportional',
        type,
        'use a checkpoint with one of these',
      );
  }
}

/**
 * Returns the default form: in transformers the base grows only in texts beyond max_position_embeddings, which
 * Flashline never decodes. Requires `factor`, as transformers does. Refuses vLLM's variant, recognised by `alpha`,
 * which has another base from the start.
 */
function parseDynamic(fields: ConfigFields): undefined {
  fields.number('factor');
  if (fields.isSet('alpha'))
    throw fields.refusal('rope_type dynamic without alpha', String(fields.raw('alpha')), PUBLISHED);
}

/**
 * Reads the maximum length of texts before the scaling. As in transformers, a field of the whole model takes
 * precedence.
 */
function originalLength(fields: ConfigFields, config: ConfigFields): number {
  const original = 'original_max_position_embeddings';
  const holder = [config, fields].find((candidate) => candidate.has(original));
  return holder?.integer(original) ?? config.integer('max_position_embeddings');
}

function parseLlama3(fields: ConfigFields, config: ConfigFields): RopeScaling {
  const lowFreqFactor = fields.number('low_freq_factor');
  return {
    type: 'llama3',
    factor: fields.number('factor'),
    lowFreqFactor,
    highFreqFactor: fields.number('high_freq_factor', { min: lowFreqFactor }),
    originalMaxPositionEmbeddings: originalLength(fields, config),
  };
}

/** Fields of YaRN that vLLM uses and transformers ignores. */
const IGNORED_BY_TRANSFORMERS = ['attn_factor', 'extrapolation_factor'];

function parseYarn(fields: ConfigFields, config: ConfigFields): YarnScaling {
  const original = originalLength(fields, config);
  // As in transformers, null means the ratio of the lengths, and a missing field is an error.
  const isRatio = fields.raw('factor') === null;
  const factor = isRatio ? config.integer('max_position_embeddings') / original : fields.number('factor');
  for (const name of IGNORED_BY_TRANSFORMERS) {
    const value = fields.number(name, { fallback: 1 });
    if (value !== 1)
      throw fields.refusal(`${name} 1`, String(value), 'use a checkpoint with attention_factor');
  }
  return {
    type: 'yarn',
    factor,
    originalMaxPositionEmbeddings: original,
    betaFast: fields.isSet('beta_fast') ? fields.number('beta_fast') : 32,
    betaSlow: fields.isSet('beta_slow') ? fields.number('beta_slow') : 1,
    attentionFactor: parseAttentionFactor(fields, factor),
    ...(!fields.boolean('truncate', true) && { exactRamp: true }),
  };
}

/** Reads the scale of queries and keys; if the file has both `mscale` fields, it is the ratio of their scales. */
function parseAttentionFactor(fields: ConfigFields, factor: number): number {
  if (fields.has('attention_factor')) return fields.number('attention_factor');
  const amplitude = (mscale: number): number => (factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1);
  if (!(fields.has('mscale') && fields.has('mscale_all_dim'))) return amplitude(1);
  const scale = fields.number('mscale', { includesMin: true });
  const all = fields.number('mscale_all_dim', { includesMin: true });
  return scale > 0 && all > 0 ? amplitude(scale) / amplitude(all) : amplitude(1);
}
