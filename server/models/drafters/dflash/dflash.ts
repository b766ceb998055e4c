// DFlash, the block-diffusion drafter with z-lab semantics: a block is the anchor and masks
// behind it, and each row predicts the token at its own position. What it sees of a decode are the target's taps. The
// second generation adds convolutions, a candidate selector, and three scalars.
import { softCap, type Sight } from '../../decoder/attention';
import {
  loadBackbone,
  loadWeights,
  eitherOf,
  parseBlockSize,
  parseMaxPositions,
  requireRows,
  requireTarget,
  type BlockConfig,
  type SourceOf,
} from '../blockDrafter/backbone';
import { blockDrafter, type BlockNetwork } from '../blockDrafter/blockDrafter';
import type { Drafter, DrafterFiles, Selector } from '../drafter';
import type { Embedding } from '../../decoder/linear';
import * as mx from '../../mlx/ops';
import type { TargetConfig } from '../../decoder/target';
import { tokenArray } from '../../mlx/tokenArray';
import type { Weights } from '../../checkpoint/weights';
import type { ConfigFields } from '../../checkpoint/configFields';
import {
  parseAttentionSizes,
  parseLayerTypes,
  requireOneOf,
  requireValue,
  SILU,
} from '../../decoder/decoderConfig';
import { parseRope } from '../../decoder/ropeConfig';

export async function loadDFlash(files: DrafterFiles, target: TargetConfig): Promise<Drafter> {
  const config = parseDFlashConfig(files.fields, target);
  const network = await loadWeights(files, (weights) => dflashNetwork(weights, config, target));
  const { blockSize, minBlockSize } = config;
  return blockDrafter({ name: 'dflash', maxDraftTokens: blockSize - 1, minBlockSize }, config, network);
}

function dflashNetwork(weights: Weights, config: DFlashConfig, target: TargetConfig): BlockNetwork {
  const { maskTokenId, minBlockSize, inputEmbeddingScale: scale } = config;
  const { vocabSize } = target;
  const backbone = loadBackbone(weights, config, target);
  const selector = config.selector && candidateSelector(weights, config.selector, target);
  return {
    backbone,
    propose(count, { target, anchor, contexts, condition }) {
      // Most drafters were trained on full blocks only, and lose most of their acceptance in a narrower one.
      const masks = Math.max(count, minBlockSize - 1);
      const block = [anchor, ...Array<number>(masks).fill(maskTokenId)];
      const embedded = target.embed(tokenArray(block, vocabSize));
      const rows = scale === undefined ? embedded : mx.multiply(embedded, scale);
      const h = backbone.forward(rows, contexts, condition);
      // Row 0 is the anchor's own; rows that nobody asked for never reach the head.
      const states = backbone.normed(mx.slice(h, 1, 1, 1 + count));
      const logits = mx.add(scaled(target.logits(states), config), backbone.penalty);
      return { logits, selector: selector?.(anchor, states) };
    },
    dispose: () => {
      weights.dispose();
    },
  };
}

/** In float32: a cap brings logits so close together that fewer bits would make them ties. */
function scaled(
  logits: mx.MxArray,
  { outputMultiplier, finalLogitSoftcapping: cap }: DFlashConfig,
): mx.MxArray {
  if (outputMultiplier === undefined && cap === undefined) return logits;
  return softCap(mx.multiply(mx.astype(logits, mx.float32), outputMultiplier ?? 1), cap);
}

/**
 * Chooses among the drafts of rows with `states`, [1, rows, hidden] after the final norm, that follow `anchor`. The rows
 * of a block do not see each other's drafts, so two that are each likely may not go together: it tells which of them do.
 */
type CandidateSelector = (anchor: number, states: mx.MxArray) => Selector;

function candidateSelector(
  weights: Weights,
  { rank, topK }: NonNullable<DFlashConfig['selector']>,
  { vocabSize, hiddenSize }: TargetConfig,
): CandidateSelector {
  const path = 'candidate_selector';
  // What each token looks for in its successor, and what each offers its predecessor: [vocabSize, rank].
  const predecessors = weights.embedding(`${path}.predecessor_codebook`, vocabSize, rank);
  const successors = weights.embedding(`${path}.successor_codebook`, vocabSize, rank);
  const hiddenProjection = weights.linear(`${path}.hidden_projection`, rank, hiddenSize);
  /** <predecessor[before] · (W state), successor[token]> */
  const gains = (anchor: number, states: mx.MxArray, ids: mx.MxArray): mx.MxArray => {
    const [rows = 0, count = 0] = ids.shape;
    const anchors = tokenArray(Array<number>(count).fill(anchor), vocabSize);
    const tokens = mx.reshape(mx.astype(ids, mx.int32), -1);
    const before = mx.slice(mx.concatenate([anchors, tokens], 0), 0, 0, rows * count);
    const rowsOf = (table: Embedding, of: mx.MxArray): mx.MxArray =>
      mx.reshape(table.embed(of), rows, count, rank);
    const wanted = mx.reshape(hiddenProjection.forward(states), rows, 1, rank);
    const asked = mx.multiply(rowsOf(predecessors, before), wanted);
    return mx.matmul(asked, mx.transpose(rowsOf(successors, tokens), 0, 2, 1));
  };
  return (anchor, states) => ({ candidates: topK, gains: (ids) => gains(anchor, states, ids) });
}

// config.json of a z-lab DFlash drafter, checked against its target.

/** Of the candidate selector. */
interface SelectorSizes {
  /** Width of the tables. */
  readonly rank: number;
  /** Candidates of a row that it chooses from. */
  readonly topK: number;
}

/** What DFlash 2 has beside the network of DFlash; each part is undefined where the file has none. */
interface Additions extends Pick<BlockConfig, 'conv'> {
  readonly selector: SelectorSizes | undefined;
  /** Factor of all embedded rows. */
  readonly inputEmbeddingScale: number | undefined;
  /** Factor of the logits, before the cap. */
  readonly outputMultiplier: number | undefined;
  /** Soft cap of the logits. */
  readonly finalLogitSoftcapping: number | undefined;
}

export interface DFlashConfig extends BlockConfig, Additions {
  /** Rows of the narrowest block that it was trained on; blockSize where the file does not say. */
  readonly minBlockSize: number;
}

const OWN_TOKEN = { shift_label: false, projector_type: 'dflash', markov_rank: null };
const OTHER_SEMANTIC =
  'use a checkpoint whose architectures are those of DSpark, or one whose rows predict their own token';

export function parseDFlashConfig(fields: ConfigFields, target: TargetConfig): DFlashConfig {
  const inner = fields.part('dflash_config');
  requireOneOf(fields, 'hidden_act', SILU);
  for (const source of [fields, inner]) requireRows(() => source, OWN_TOKEN, OTHER_SEMANTIC);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  const numHiddenLayers = fields.integer('num_hidden_layers', { max: 256 });
  // Where a field stands twice, the authors' code reads the one inside from the second generation on.
  const sourceOf = isSecond(fields) ? eitherOf(inner, fields) : eitherOf(fields, inner);
  requireValue(sourceOf('attention_sink_bias'), 'attention_sink_bias', null);
  const blockSize = parseBlockSize(sourceOf('block_size'), target, { min: 2, beyond: 0 });
  const config = {
    ...sizes,
    intermediateSize: fields.integer('intermediate_size'),
    blockSize,
    minBlockSize: sourceOf('min_block_size').integer('min_block_size', {
      min: 2,
      max: blockSize,
      usual: blockSize,
    }),
    maskTokenId: sourceOf('mask_token_id').integer('mask_token_id', { min: 0 }),
    targetLayerIds: parseTaps(sourceOf('target_layer_ids'), numHiddenLayers, target, !isSecond(fields)),
    layerSights: parseLayerSights(fields, inner, numHiddenLayers),
    ...parseAdditions(fields, sourceOf, { ...sizes, blockSize }, target),
    rope: parseRope(fields, sizes.headDim),
    maxPositionEmbeddings: parseMaxPositions(fields),
  };
  requireTarget(fields, config, target);
  return config;
}

const isSecond = (fields: ConfigFields): boolean =>
  fields.strings('architectures')[0] === 'DFlash2DraftModel';

/** Each part is there if one of its fields is. Tensors without fields, or the reverse, are refused with the weights. */
function parseAdditions(
  fields: ConfigFields,
  sourceOf: SourceOf,
  { hiddenSize, blockSize }: Pick<DFlashConfig, 'hiddenSize' | 'blockSize'>,
  { vocabSize }: TargetConfig,
): Additions {
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
  if (isSecond(fields) && !conv && !selector)
    throw fields.refusal('conv_kernel_size or selector_rank of a DFlash2DraftModel', 'neither');
  const cap = 'final_logit_softcapping';
  return {
    conv,
    selector,
    inputEmbeddingScale: factor('input_embedding_scale'),
    outputMultiplier: factor('output_multiplier'),
    // 0 and less mean none, too.
    finalLogitSoftcapping: Number(sourceOf(cap).raw(cap)) <= 0 ? undefined : factor(cap),
  };
}

/** The published list, or layers spread evenly from 1 to N - 3 when a file of the first generation has none. */
function parseTaps(fields: ConfigFields, count: number, target: TargetConfig, isFirst: boolean): number[] {
  if (fields.has('target_layer_ids') || !isFirst) return fields.integers('target_layer_ids');
  const n = target.numHiddenLayers;
  if (count === 1) return [Math.floor(n / 2)];
  return Array.from({ length: count }, (_, i) => roundHalfToEven(1 + (i * (n - 4)) / (count - 1)));
}

/** Full layers see the whole block, sliding ones are causal unless the file says no. */
function parseLayerSights(fields: ConfigFields, inner: ConfigFields, count: number): Sight[] {
  const types = parseLayerTypes(fields, count, { other: 'sliding_attention', every: 1 });
  const causalField = fields.has('is_causal') ? fields.boolean('is_causal') : undefined;
  const causal = causalField ?? (inner.has('causal') ? inner.boolean('causal') : undefined);
  const full = { causal: causal ?? false };
  if (!types.includes('sliding_attention')) return types.map(() => full);
  const sliding = { window: fields.integer('sliding_window'), causal: causal ?? true };
  return types.map((type) => (type === 'sliding_attention' ? sliding : full));
}

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
