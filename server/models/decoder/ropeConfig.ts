// How a checkpoint rotates its heads: the fields of config.json in both spellings, and per kind of layer. The scalings
// are those with which models were made to read longer texts. Knows names and defaults
// only; rope.ts has the arithmetic.
import { PUBLISHED, type ConfigFields } from '../checkpoint/configFields';

/** Positions are divided by `factor`. */
interface Linear {
  readonly type: 'linear';
  readonly factor: number;
}

/** Waves longer than the original text are slowed by `factor`, short ones kept, those between mixed. */
export interface Llama3 {
  readonly type: 'llama3';
  readonly factor: number;
  /** The original length divided by these is the longest and the shortest of the mixed waves. */
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositionEmbeddings: number;
}

/** Slow pairs are slowed by `factor`, fast ones kept, with a ramp between; all are scaled. */
export interface Yarn {
  readonly type: 'yarn';
  readonly factor: number;
  readonly originalMaxPositionEmbeddings: number;
  /** Full turns within the original text: of the last pair that is kept, and of the first that is fully slowed. */
  readonly betaFast: number;
  readonly betaSlow: number;
  readonly attentionFactor: number;
  /** The ramp begins and ends between two pairs; otherwise at whole ones. */
  readonly exactRamp?: true;
}

/** Only the first `turningPairs` pairs of a whole head are rotated; their frequencies are divided by `factor`. */
interface Proportional {
  readonly type: 'proportional';
  readonly factor: number;
  readonly turningPairs: number;
}

export type RopeScaling = Linear | Llama3 | Yarn | Proportional;

export interface RopeConfig {
  readonly headDim: number;
  /** How many dimensions of a head are rotated, from the first; absent means all. */
  readonly rotaryDim?: number;
  readonly ropeTheta: number;
  /** Absent in the default form. */
  readonly scaling?: RopeScaling;
}

/** Default base, except in some families. */
const USUAL_THETA = 10000;

/** Reads `rope_theta` with `rope_scaling`, or the newer `rope_parameters` that holds both. */
export function parseRope(config: ConfigFields, headDim: number, usualTheta = USUAL_THETA): RopeConfig {
  const newer = newerForm(config);
  const fields = newer ?? config;
  const perLayer = newer?.names().find((name) => name.endsWith('_attention'));
  if (perLayer === undefined) {
    const scaling = config.isSet('rope_scaling') ? config.nested('rope_scaling') : fields;
    const ropeTheta = parseTheta([fields, config, scaling], usualTheta);
    return { ...parseForm([fields, scaling, config], headDim), ropeTheta };
  }
  throw fields.refusal('one rotation for all layers', `another one for ${perLayer}`, PUBLISHED);
}

/**
 * Reads `rope_parameters` with an object per layer type, or the older fields, in which sliding layers have the base
 * `rope_local_base_freq` and no scaling. `usualTheta` is that of the full layers, `fullHeadDim` their heads' width.
 */
export function parseLayerRopes(
  config: ConfigFields,
  headDim: number,
  usualTheta: number,
  fullHeadDim = headDim,
) {
  const newer = newerForm(config);
  const ropeTheta = config.number('rope_local_base_freq', { usual: USUAL_THETA });
  if (newer?.names().some((name) => name.endsWith('_attention'))) {
    const parseOwn = (name: string, width: number): RopeConfig => {
      const fields = newer.nested(name);
      const theta =
        name === 'full_attention'
          ? parseTheta([fields, config], usualTheta)
          : parseTheta([fields], ropeTheta);
      return { ...parseForm([fields, fields, config], width), ropeTheta: theta };
    };
    return {
      fullAttention: parseOwn('full_attention', fullHeadDim),
      slidingAttention: parseOwn('sliding_attention', headDim),
    };
  }
  const slidingAttention: RopeConfig = { headDim, ropeTheta };
  return { fullAttention: parseRope(config, fullHeadDim, usualTheta), slidingAttention };
}

function newerForm(config: ConfigFields): ConfigFields | undefined {
  return config.isSet('rope_parameters') ? config.nested('rope_parameters') : undefined;
}

/** The base of the first that has one. */
function parseTheta(holders: readonly ConfigFields[], usual: number): number {
  const holder = holders.find((each) => each.has('rope_theta'));
  return holder?.number('rope_theta') ?? usual;
}

/** `fields` or `scaling` has the type and its parameters, `config` whatever both leave out. */
function parseForm(
  [fields, scaling, config]: readonly [ConfigFields, ConfigFields, ConfigFields],
  headDim: number,
): Omit<RopeConfig, 'ropeTheta'> {
  const part = 'partial_rotary_factor';
  const holder = [fields, scaling].find((each) => each.has(part)) ?? config;
  const factor = holder.number(part, { max: 1, usual: 1 });
  const form = parseScaling(scaling, config, () => turningPairs(headDim, factor, holder));
  const partial = factor < 1 && form?.type !== 'proportional';
  return {
    headDim,
    ...(partial && { rotaryDim: rotaryDim(headDim, factor, holder) }),
    ...(form && { scaling: form }),
  };
}

function turningPairs(headDim: number, factor: number, fields: ConfigFields): number {
  const pairs = Math.floor((headDim * factor) / 2);
  if (pairs > 0) return pairs;
  throw fields.refusal('partial_rotary_factor to turn a pair of dimensions', String(factor));
}

function rotaryDim(headDim: number, factor: number, fields: ConfigFields): number {
  const dim = Math.floor(headDim * factor);
  if (dim > 0 && dim % 2 === 0) return dim;
  const expected = `partial_rotary_factor to turn an even number of ${String(headDim)} dimensions`;
  throw fields.refusal(expected, String(dim));
}

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
      return { type, factor: fields.number('factor', { usual: 1 }), turningPairs: pairs() };
    default:
      throw fields.refusal(
        'rope_type default, linear, dynamic, llama3, yarn or proportional',
        type,
        'use a checkpoint with one of these',
      );
  }
}

/**
 * In transformers the base of the frequencies grows with texts that are longer than max_position_embeddings. No text here
 * is, so it is the default form. Another base from the start, by `alpha`, is a variant of vLLM.
 */
function parseDynamic(fields: ConfigFields): undefined {
  fields.number('factor');
  if (fields.isSet('alpha'))
    throw fields.refusal('rope_type dynamic without alpha', String(fields.raw('alpha')), PUBLISHED);
}

/** The length of texts before the scaling; as in transformers, a field of the whole model comes first. */
function originalLength(fields: ConfigFields, config: ConfigFields): number {
  const original = 'original_max_position_embeddings';
  const holder = [config, fields].find((each) => each.has(original));
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

/** Fields of YaRN that vLLM computes with and transformers does not know. */
const OTHERWISE_READ = ['attn_factor', 'extrapolation_factor'];

function parseYarn(fields: ConfigFields, config: ConfigFields): Yarn {
  const original = originalLength(fields, config);
  // As transformers does it, null is the ratio of the lengths, while a file without the field is refused.
  const isRatio = fields.raw('factor') === null;
  const factor = isRatio ? config.integer('max_position_embeddings') / original : fields.number('factor');
  for (const name of OTHERWISE_READ) {
    const value = fields.number(name, { usual: 1 });
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

/** The scale of queries and keys; the ratio of two if the file has a pair of `mscale` fields. */
function parseAttentionFactor(fields: ConfigFields, factor: number): number {
  if (fields.has('attention_factor')) return fields.number('attention_factor');
  const amplitude = (mscale: number): number => (factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1);
  if (!(fields.has('mscale') && fields.has('mscale_all_dim'))) return amplitude(1);
  const atLeastZero = { min: -Number.MIN_VALUE };
  const [own, all] = [fields.number('mscale', atLeastZero), fields.number('mscale_all_dim', atLeastZero)];
  return own > 0 && all > 0 ? amplitude(own) / amplitude(all) : amplitude(1);
}
