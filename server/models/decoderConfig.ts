// The fields of config.json that decoders of the Llama shape have in common, parsed once, and what a family may
// refuse. Knows no family: each adds what is its own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';
import type { LayerKind } from './layerKind';
import type { AttentionSizes, MlpSizes } from './layers';
import { parseRope, type RopeConfig } from './ropeConfig';
import type { TargetConfig } from './target';

const MAX_HEAD_DIM = 1024;

export interface DecoderConfig extends TargetConfig, AttentionSizes, MlpSizes {
  /** Undefined where the file does not say: then the weights decide. */
  readonly tieWordEmbeddings: boolean | undefined;
  readonly rope: RopeConfig;
  /** One per layer; where it is left out, all layers turn by `rope` and see everything before them. */
  readonly layerKinds?: readonly LayerKind[] | undefined;
  /** What the file's norm weights lack; nothing where it is left out. */
  readonly normOffset?: number | undefined;
  /** What embeddings are multiplied with before the first layer; nothing where it is left out. */
  readonly embeddingScale?: number | undefined;
  /** Soft limit of the logits; none where it is left out. */
  readonly finalLogitSoftcapping?: number | undefined;
}

/** Everything but what only the family knows: its norms per head. The gate must go through silu. */
export function parseDecoderConfig(
  directory: string,
  fields: ConfigFields,
): Omit<DecoderConfig, 'headNorms'> {
  requireValue(fields, 'hidden_act', 'silu');
  const common = parseDecoderFields(directory, fields);
  return { ...common, rope: parseRope(fields, common.headDim) };
}

/** The same for a family that knows what its gate goes through and how its layers turn. */
export function parseDecoderFields(
  directory: string,
  fields: ConfigFields,
): Omit<DecoderConfig, 'headNorms' | 'rope'> {
  const sizes = parseAttentionSizes(fields);
  return {
    modelType: fields.string('model_type'),
    ...sizes,
    numHiddenLayers: fields.integer('num_hidden_layers', { max: 1024 }),
    vocabSize: fields.integer('vocab_size', { max: 2 ** 24 }),
    intermediateSize: fields.integer('intermediate_size'),
    maxPositionEmbeddings: fields.integer('max_position_embeddings'),
    tieWordEmbeddings: fields.has('tie_word_embeddings') ? fields.boolean('tie_word_embeddings') : undefined,
    eosTokenIds: readEosTokenIds(directory, fields),
  };
}

/** The attention fields, which drafters spell in the same way. A file that asks for biases means all four. */
export function parseAttentionSizes(fields: ConfigFields): Omit<AttentionSizes, 'headNorms'> {
  const numAttentionHeads = fields.integer('num_attention_heads');
  const numKeyValueHeads = fields.integer('num_key_value_heads');
  if (numAttentionHeads % numKeyValueHeads !== 0) {
    throw new InputError({
      expected: `num_attention_heads to be a multiple of num_key_value_heads in ${fields.source}`,
      got: `${String(numAttentionHeads)} and ${String(numKeyValueHeads)}`,
      remedy: 'correct the file or download it again',
    });
  }
  const bias = fields.has('attention_bias') && fields.boolean('attention_bias');
  return {
    hiddenSize: fields.integer('hidden_size'),
    numAttentionHeads,
    numKeyValueHeads,
    headDim: parseHeadDim(fields),
    rmsNormEps: fields.number('rms_norm_eps'),
    attentionBias: bias,
    outputBias: bias,
  };
}

function parseHeadDim(fields: ConfigFields): number {
  const headDim = fields.has('head_dim')
    ? fields.integer('head_dim')
    : fields.integer('hidden_size') / fields.integer('num_attention_heads');
  // Rotary embeddings turn pairs, with a table whose size grows with the square.
  if (headDim % 2 === 0 && headDim <= MAX_HEAD_DIM) return headDim;
  throw new InputError({
    expected: `an even head_dim of at most ${String(MAX_HEAD_DIM)} in ${fields.source}`,
    got: String(headDim),
    remedy: 'correct the file or download it again',
  });
}

/** End tokens of config.json and generation_config.json together (speculative-decoding.md D.5). */
function readEosTokenIds(directory: string, fields: ConfigFields): number[] {
  const file = join(directory, 'generation_config.json');
  const sources = existsSync(file) ? [fields, ConfigFields.read(file)] : [fields];
  const ids = sources
    .filter((source) => source.has('eos_token_id'))
    .flatMap((source) => source.integers('eos_token_id'));
  return [...new Set(ids)];
}

/** Refuses a variant that the network here does not compute; an absent field means the usual one. */
export function requireValue(fields: ConfigFields, name: string, expected: unknown): void {
  if (!fields.has(name) || fields.raw(name) === expected) return;
  throw new InputError({
    expected: `${name} ${JSON.stringify(expected)} in ${fields.source}`,
    got: JSON.stringify(fields.raw(name)),
    remedy: 'use a checkpoint of the published form',
  });
}

/** Refuses a network in which some layers see less than everything before them, or work in another way. */
export function requireFullAttention(fields: ConfigFields): void {
  if (!fields.has('layer_types')) return;
  const other = fields.strings('layer_types').find((type) => type !== 'full_attention');
  if (other === undefined) return;
  throw new InputError({
    expected: `layer_types of full_attention only in ${fields.source}`,
    got: other,
    remedy: 'use a checkpoint of the published form',
  });
}
