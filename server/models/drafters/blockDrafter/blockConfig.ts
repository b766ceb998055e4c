// The fields of config.json that all block drafters share, checked against the target before any weight is read.
import { quoted } from '../../../rules/userError';
import type { ConfigFields } from '../../checkpoint/configFields';
import type { AttentionSizes } from '../../decoder/attention';
import type { AttentionPattern } from '../../decoder/attentionMask';
import type { BlockSizes } from '../../decoder/decoderBlock';
import { parseLayerTypes } from '../../decoder/decoderConfig';
import type { MlpSizes } from '../../decoder/gatedMlp';
import { parseRope, type RopeConfig } from '../../decoder/ropeConfig';
import type { TargetConfig } from '../../decoder/target';
import type { ConvSizes } from './groupedConv';

export interface BlockConfig extends AttentionSizes, MlpSizes, BlockSizes {
  /** Rows of a full block: the anchor, which is the last committed token, and blockSize - 1 masks. */
  readonly blockSize: number;
  /** Index of the first row that drafts: 0 where rows predict the next token, 1 where they predict their own. */
  readonly firstRow: 0 | 1;
  readonly maskTokenId: number;
  /** Layers of the target whose outputs the drafter reads. */
  readonly targetLayerIds: readonly number[];
  /** Positions that each layer attends to; layers with the same pattern share one object. */
  readonly layerPatterns: readonly AttentionPattern[];
  readonly rope: RopeConfig;
  /** Convolutions around both parts of each layer; undefined if there are none. */
  readonly conv?: ConvSizes | undefined;
  /** Positions that the drafter was trained for; undefined if the file does not say. */
  readonly maxPositionEmbeddings: number | undefined;
  /** Size of the vocabulary that it drafts from; the target's vocabulary size unless it is reduced. */
  readonly draftVocabSize: number;
  /** Whether its own token table also serves as output head if it has no head. */
  readonly tieWordEmbeddings: boolean;
}

const MAX_BLOCK_SIZE = 256;
const BLOCK_SIZE_REMEDY = 'give the size that the drafter was trained with, or use another drafter';
const LAST_LAYER_REMEDY = {
  remedy: 'use a drafter that reads inner layers only, or none',
  command: '--drafter none',
};
const TARGET_REMEDY = {
  remedy: 'use the drafter that was trained for this target, or none',
  command: '--drafter none',
};

/**
 * Supported values of fields that change the network, whichever exporter wrote them; null means any unset value. Absent
 * fields are accepted. `num_experts` is not checked: speculators writes its default even if `draft_ffn_type` is dense,
 * and exporters copy it from targets with experts.
 */
const NETWORK_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  attention_mode: ['gqa', 'mha'],
  attention_modes: ['gqa', 'mha'],
  attention_sink_bias: [null],
  aux_hidden_state_layer_offset: [null],
  conditioning_source: [null],
  draft_ffn_type: ['dense', 'mlp', null],
  logit_scale: [1],
  n_routed_experts: [null],
  rope_is_neox_style: [true],
  use_aux_hidden_state: [true],
};
const NETWORK_REMEDY = 'use a drafter of the usual form of its algorithm';

/** Returns the object that holds a field: exporters write some fields at the top level or into a nested object. */
export type SourceOf = (name: string) => ConfigFields;

/** Looks up each field in `first`, and in `second` if `first` does not have it. */
export function eitherOf(first: ConfigFields, second: ConfigFields): SourceOf {
  return (name) => (first.has(name) ? first : second);
}

/**
 * Refuses a drafter whose rows predict a different token than expected: its drafts would be off by one, so the text
 * would be right but slow. `required` has the fields that say which token that is, with their values; null means that
 * the field must be absent. Fields that the file omits are not checked.
 */
export function requirePredictedToken(
  sourceOf: SourceOf,
  required: Readonly<Record<string, string | boolean | null>>,
  remedy: string,
): void {
  for (const [name, value] of Object.entries(required)) {
    const fields = sourceOf(name);
    if (!fields.has(name) || fields.raw(name) === value) continue;
    const expected = value === null ? `no ${name}` : `${name} ${String(value)}`;
    throw fields.refusal(expected, quoted(fields.raw(name)), remedy);
  }
}

/** Throws UserError for a network that is not computed, such as one with experts or other attention. */
export function requireNetwork(fields: ConfigFields): void {
  for (const source of [fields, fields.part('dflash_config'), fields.part('dspark_config')])
    for (const [name, values] of Object.entries(NETWORK_VALUES))
      // A list has a value for each layer.
      for (const value of [source.raw(name)].flat())
        source.with({ [name]: value }).allowOnly(name, values, NETWORK_REMEDY);
}

/**
 * Reads the size of a block whose first drafting row is `firstRow`; the target must be able to verify all its drafts.
 */
export function parseBlockSize(fields: ConfigFields, target: TargetConfig, firstRow: 0 | 1): number {
  // If the anchor's row drafts too, a block has as many drafts as rows, and the target verifies one row more.
  const extraRows = 1 - firstRow;
  const max = Math.min((target.maxBlockSize ?? Infinity) - extraRows, MAX_BLOCK_SIZE);
  if (!fields.has('block_size')) throw fields.refusal('block_size', 'none', BLOCK_SIZE_REMEDY);
  return fields.integer('block_size', { min: 1 + firstRow, max });
}

/** Reads the index of the first row that drafts; `fallback` if the fields do not say. */
export function parseFirstRow(fields: ConfigFields, fallback: 0 | 1): 0 | 1 {
  return fields.boolean('sample_from_anchor', fallback === 0) ? 0 : 1;
}

/** Reads the fields that are the same in all kinds of block drafters. */
export function parseCommon(fields: ConfigFields, { vocabSize }: TargetConfig) {
  const positions = 'max_position_embeddings';
  return {
    maxPositionEmbeddings: fields.has(positions) ? fields.integer(positions) : undefined,
    draftVocabSize: fields.integer('draft_vocab_size', { max: vocabSize, fallback: vocabSize }),
    tieWordEmbeddings: fields.boolean('tie_word_embeddings', false),
  };
}

/**
 * Reads the rotation, which covers whole heads. Some exporters copy the config of a target that rotates only a part of
 * each head; block drafters never do that.
 */
export function parseBlockRope(fields: ConfigFields, headDim: number): RopeConfig {
  const rope = parseRope(fields, headDim);
  return rope.rotaryDim === undefined ? rope : { ...rope, rotaryDim: headDim };
}

/**
 * Reads the attention pattern of each layer. Full layers see the whole block, and sliding layers too unless
 * `isSlidingCausal`; the file's `is_causal` or, without that, `causal` of its nested object decides for both.
 */
export function parseLayerPatterns(
  fields: ConfigFields,
  nested: ConfigFields,
  isSlidingCausal: boolean,
): AttentionPattern[] {
  const count = fields.integer('num_hidden_layers', { max: 256 });
  const types = parseLayerTypes(fields, count, { otherType: 'sliding_attention', fullEvery: 1 });
  const causal = nested.has('causal') ? nested.boolean('causal') : undefined;
  const stated = fields.has('is_causal') ? fields.boolean('is_causal') : causal;
  const full = { causal: stated ?? false };
  const sourceOf = eitherOf(fields, nested);
  if (types.includes('sliding_attention')) {
    const sliding = { window: parseWindow(sourceOf), causal: stated ?? isSlidingCausal };
    return types.map((type) => (type === 'sliding_attention' ? sliding : full));
  }
  // As in vLLM, use_swa makes all layers slide if the file lists no sliding layers. Like full layers, they are causal
  // only if the file says so.
  const isSliding = sourceOf('use_swa').boolean('use_swa', false);
  const pattern = isSliding ? { ...full, window: parseWindow(sourceOf) } : full;
  return types.map(() => pattern);
}

/** Reads the window of sliding layers. Throws UserError if the file has two different ones. */
function parseWindow(sourceOf: SourceOf): number {
  const [first, second] = ['sliding_window', 'swa_window_size'].map((name) => {
    const fields = sourceOf(name);
    return fields.has(name) ? fields.integer(name) : undefined;
  });
  const window = first ?? second ?? sourceOf('sliding_window').integer('sliding_window');
  if (second === undefined || second === window) return window;
  throw sourceOf('swa_window_size').refusal(
    `a swa_window_size of ${String(window)}, as sliding_window says`,
    String(second),
  );
}

/** Throws UserError for a drafter that was trained for another target. */
export function requireTarget(fields: ConfigFields, config: BlockConfig, target: TargetConfig): void {
  const requireEqual = (field: string, value: number, targetValue: number): void => {
    if (value !== targetValue)
      throw fields.refusal(
        `${field} ${String(targetValue)}, as the target has`,
        String(value),
        TARGET_REMEDY,
      );
  };
  requireEqual('hidden_size', config.hiddenSize, target.hiddenSize);
  requireEqual('vocab_size', fields.integer('vocab_size'), target.vocabSize);
  for (const [field, targetValue] of [
    ['num_target_layers', target.numHiddenLayers],
    ['target_hidden_size', target.hiddenSize],
  ] as const)
    if (fields.has(field)) requireEqual(field, fields.integer(field), targetValue);
  // Programs differ in the output of the last layer: transformers applies the final norm to it, vLLM does not.
  const last = target.numHiddenLayers - 1;
  const range = `target_layer_ids from 0 to ${String(last - 1)}`;
  if (config.targetLayerIds.length === 0) throw fields.refusal(range, 'an empty list');
  const highest = Math.max(...config.targetLayerIds);
  if (highest > last) throw fields.refusal(range, String(highest), TARGET_REMEDY);
  if (highest === last)
    throw fields.refusal(
      range,
      `${String(last)} (the last layer, with or without the final norm)`,
      LAST_LAYER_REMEDY,
    );
  if (config.maskTokenId >= target.vocabSize) {
    throw fields.refusal(
      `mask_token_id below ${String(target.vocabSize)}`,
      String(config.maskTokenId),
      TARGET_REMEDY,
    );
  }
}
