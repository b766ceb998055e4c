// config.json of a DFlash drafter, checked against its target. z-lab writes some fields at the top level and some into
// a nested object.
import {
  eitherOf,
  parseBlockRope,
  parseBlockSize,
  parseCommon,
  parseFirstRow,
  parseLayerPatterns,
  requirePredictedToken,
  requireTarget,
  type BlockConfig,
  type SourceOf,
} from '../blockDrafter/blockConfig';
import type { ConvSizes } from '../blockDrafter/groupedConv';
import type { ConfigFields } from '../../checkpoint/configFields';
import { parseAttentionSizes, SILU } from '../../decoder/decoderConfig';
import type { TargetConfig } from '../../decoder/target';

/** Sizes of the candidate selector. */
export interface SelectorSizes {
  /** Width of the tables. */
  readonly rank: number;
  /** Number of candidates per row. */
  readonly topK: number;
}

/** Parts that only DFlash 2 has; each is undefined if the file has none. */
interface Additions {
  readonly conv?: ConvSizes | undefined;
  readonly selector: SelectorSizes | undefined;
  /** Factor of all embedded rows. */
  readonly inputEmbeddingScale: number | undefined;
  /** Factor of the logits, applied before the cap. */
  readonly outputMultiplier: number | undefined;
  /** Soft cap of the logits. */
  readonly finalLogitSoftcapping: number | undefined;
}

export interface DFlashConfig extends BlockConfig, Additions {
  /** Rows of the narrowest block that it was trained on; blockSize if the file does not say. */
  readonly minBlockSize: number;
}

/** Values of fields in files whose rows predict the token at their own position; null means that a field is absent. */
const OWN_TOKEN_FIELDS = { shift_label: false, projector_type: 'dflash', markov_rank: null };
const ROWS_REMEDY = 'use a DFlash, DFlash 2 or DSpark drafter whose architectures field names its algorithm';

/**
 * Parses the config of a drafter of either generation. Throws UserError if it is not supported or does not fit the
 * target.
 */
export function parseDFlashConfig(fields: ConfigFields, target: TargetConfig): DFlashConfig {
  const inner = fields.part('dflash_config');
  fields.allowOnly('hidden_act', SILU);
  for (const source of [fields, inner]) requirePredictedToken(() => source, OWN_TOKEN_FIELDS, ROWS_REMEDY);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  const numHiddenLayers = fields.integer('num_hidden_layers', { max: 256 });
  // If both objects have a field, the authors' code reads the outer one in DFlash, and the inner one in DFlash 2.
  const sourceOf = isSecondGeneration(fields) ? eitherOf(inner, fields) : eitherOf(fields, inner);
  // Rows predict their own token, so the anchor's row does not draft unless the file says otherwise.
  const firstRow = parseFirstRow(sourceOf('sample_from_anchor'), 1);
  const blockSize = parseBlockSize(sourceOf('block_size'), target, firstRow);
  const config = {
    ...sizes,
    intermediateSize: fields.integer('intermediate_size'),
    blockSize,
    firstRow,
    minBlockSize: sourceOf('min_block_size').integer('min_block_size', {
      min: 1 + firstRow,
      max: blockSize,
      fallback: blockSize,
    }),
    maskTokenId: sourceOf('mask_token_id').integer('mask_token_id', { min: 0 }),
    targetLayerIds: parseTaps(
      sourceOf('target_layer_ids'),
      numHiddenLayers,
      target,
      isSecondGeneration(fields),
    ),
    layerPatterns: parseLayerPatterns(fields, inner, true),
    ...parseAdditions(fields, sourceOf, blockSize, target),
    rope: parseBlockRope(fields, sizes.headDim),
    ...parseCommon(fields, target),
  };
  requireTarget(fields, config, target);
  return config;
}

function isSecondGeneration(fields: ConfigFields): boolean {
  return fields.strings('architectures')[0] === 'DFlash2DraftModel';
}

/**
 * Reads the parts of DFlash 2; a part is present if one of its fields is. Loading the weights refuses tensors without
 * fields, and fields without tensors.
 */
function parseAdditions(
  fields: ConfigFields,
  sourceOf: SourceOf,
  blockSize: number,
  { vocabSize }: TargetConfig,
): Additions {
  const hiddenSize = fields.integer('hidden_size');
  const has = (...names: readonly string[]): boolean => names.some((name) => sourceOf(name).has(name));
  const integer = (name: string, max: number): number => sourceOf(name).integer(name, { min: 1, max });
  const factor = (name: string): number | undefined => (has(name) ? sourceOf(name).number(name) : undefined);
  const conv = has('conv_kernel_size', 'conv_group_size')
    ? { taps: integer('conv_kernel_size', blockSize), groupSize: integer('conv_group_size', hiddenSize) }
    : undefined;
  if (conv && hiddenSize % conv.groupSize !== 0)
    throw fields.refusal(`conv_group_size to divide ${String(hiddenSize)}`, String(conv.groupSize));
  const selector = has('selector_rank', 'selector_top_k')
    ? { rank: integer('selector_rank', hiddenSize), topK: integer('selector_top_k', vocabSize) }
    : undefined;
  if (isSecondGeneration(fields) && !conv && !selector)
    throw fields.refusal('conv_kernel_size or selector_rank of a DFlash2DraftModel', 'neither');
  const cap = 'final_logit_softcapping';
  return {
    conv,
    selector,
    inputEmbeddingScale: factor('input_embedding_scale'),
    outputMultiplier: factor('output_multiplier'),
    // A cap of 0 or less means no cap.
    finalLogitSoftcapping: Number(sourceOf(cap).raw(cap)) <= 0 ? undefined : factor(cap),
  };
}

/**
 * Reads the tapped layers. Files of the first generation can omit them: then one per layer of the drafter (`count`),
 * spread evenly from 1 to N - 3 over the target's N layers, or the middle layer for a drafter of one layer.
 */
function parseTaps(fields: ConfigFields, count: number, target: TargetConfig, isRequired: boolean): number[] {
  if (fields.has('target_layer_ids') || isRequired) return fields.integers('target_layer_ids');
  const n = target.numHiddenLayers;
  if (count === 1) return [Math.floor(n / 2)];
  return Array.from({ length: count }, (_, i) => roundHalfToEven(1 + (i * (n - 4)) / (count - 1)));
}

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
