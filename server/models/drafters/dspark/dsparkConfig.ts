// config.json of a DSpark drafter, checked against its target. DeepSpec writes its fields at the top level, other
// exporters into a nested object. The tensors decide which tables and heads a drafter has.
import {
  eitherOf,
  parseBlockRope,
  parseBlockSize,
  parseCommon,
  parseFirstRow,
  parseLayerPatterns,
  requirePredictedToken,
  requireTarget,
  type SourceOf,
} from '../blockDrafter/blockConfig';
import type { TableConfig } from '../blockDrafter/ownTables';
import { UNSUPPORTED, type ConfigFields } from '../../checkpoint/configFields';
import { isSpeculatorsForm } from '../../checkpoint/speculatorsForm';
import type { AttentionSizes } from '../../decoder/attention';
import type { BlockSizes } from '../../decoder/decoderBlock';
import type { MlpSizes } from '../../decoder/gatedMlp';
import type { RopeConfig } from '../../decoder/ropeConfig';
import type { AttentionPattern } from '../../decoder/attentionMask';
import { parseAttentionSizes, SILU } from '../../decoder/decoderConfig';
import type { TargetConfig } from '../../decoder/target';

/** Types of the Markov head; the first is the default. */
export const MARKOV_HEADS = ['vanilla', 'gated', 'rnn'] as const;
export type MarkovType = (typeof MARKOV_HEADS)[number];

export interface DSparkConfig extends TableConfig {
  /** Type and rank of the Markov head, each undefined if the file does not say. */
  readonly markov: { readonly type: MarkovType | undefined; readonly rank: number | undefined };
  /** Whether the confidence head sees the previous draft; undefined if the file does not say. */
  readonly confidenceWithMarkov: boolean | undefined;
}

/** Sizes of the layers, which the parser of their family reads. */
interface LayerSizes extends AttentionSizes, MlpSizes, BlockSizes {
  readonly rope: RopeConfig;
  readonly layerPatterns: readonly AttentionPattern[];
  readonly embeddingScale?: number | undefined;
  readonly finalLogitSoftcapping?: number | undefined;
}

/** Values of fields in files whose rows predict the token after their position. */
const NEXT_TOKEN_FIELDS = { shift_label: true, projector_type: 'dspark' };
const ROWS_REMEDY =
  'use a checkpoint whose rows predict the next token, or one of the architecture DFlashDraftModel';

/**
 * Parses the config of a drafter with the layers of Qwen3. Throws UserError if it is not supported or does not fit the
 * target.
 */
export function parseQwen3DSparkConfig(fields: ConfigFields, target: TargetConfig): DSparkConfig {
  fields.allowOnly('hidden_act', SILU);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  return parseDSparkConfig(fields, target, {
    ...sizes,
    intermediateSize: fields.integer('intermediate_size'),
    rope: parseBlockRope(fields, sizes.headDim),
    // DeepSpec runs and trains without causality in the block; speculators makes sliding layers causal.
    layerPatterns: parseLayerPatterns(fields, nestedPart(fields), isSpeculatorsForm(fields)),
  });
}

/**
 * Parses the fields that drafters of all families share. Throws UserError if one is not supported or does not fit the
 * target.
 */
export function parseDSparkConfig(
  fields: ConfigFields,
  target: TargetConfig,
  sizes: LayerSizes,
): DSparkConfig {
  const sourceOf = eitherOf(fields, nestedPart(fields));
  requirePredictedToken(sourceOf, NEXT_TOKEN_FIELDS, ROWS_REMEDY);
  // Rows predict the next token, so all of them draft, the anchor's included, unless the file says otherwise.
  const firstRow = parseFirstRow(sourceOf('sample_from_anchor'), 0);
  const config = {
    ...sizes,
    firstRow,
    blockSize: parseBlockSize(sourceOf('block_size'), target, firstRow),
    maskTokenId: sourceOf('mask_token_id').integer('mask_token_id', { min: 0 }),
    targetLayerIds: sourceOf('target_layer_ids').integers('target_layer_ids'),
    markov: parseMarkov(sourceOf, target),
    confidenceWithMarkov: parseConfidence(sourceOf),
    ...parseCommon(fields, target),
  };
  requireTarget(fields, config, target);
  return config;
}

/** Returns the nested object in which some exporters write fields, or the whole file. */
function nestedPart(fields: ConfigFields): ConfigFields {
  return fields.part(fields.has('dspark_config') ? 'dspark_config' : 'dflash_config');
}

function parseMarkov(sourceOf: SourceOf, { vocabSize }: TargetConfig): DSparkConfig['markov'] {
  const rank = sourceOf('markov_rank').integer('markov_rank', { min: 0, max: vocabSize, fallback: 0 });
  const field = 'markov_head_type';
  const fields = sourceOf(field);
  const name = fields.has(field) ? fields.string(field) : undefined;
  const type = MARKOV_HEADS.find((supported) => supported === name);
  if (name !== undefined && type === undefined && rank > 0)
    throw fields.refusal(`markov_head_type ${MARKOV_HEADS.join(', ')}`, name, UNSUPPORTED);
  return { type, rank: rank === 0 ? undefined : rank };
}

function parseConfidence(sourceOf: SourceOf): boolean | undefined {
  const name = 'confidence_head_with_markov';
  const fields = sourceOf(name);
  return fields.has(name) ? fields.boolean(name) : undefined;
}
