// config.json of a z-lab DFlash drafter (speculative-decoding.md B.1), checked against its target.
import type { ConfigFields } from '../configFields';
import type { AttentionSizes } from '../attention';
import { parseAttentionSizes, parseLayerTypes, requireValue } from '../decoderConfig';
import type { BlockSight } from '../masks';
import { parseRope, type RopeConfig } from '../ropeConfig';
import type { TargetConfig } from '../target';
import type { SelectorSizes } from './candidateSelector';

export interface DFlashConfig extends AttentionSizes {
  readonly intermediateSize: number;
  /** Rows of a block: the anchor and blockSize - 1 masks. */
  readonly blockSize: number;
  /** Rows of the narrowest block that it was trained on; blockSize if the file does not say. */
  readonly minBlockSize: number;
  readonly maskTokenId: number;
  readonly targetLayerIds: readonly number[];
  /** What the rows of each layer may see; layers that see the same share one object. */
  readonly layerSights: readonly BlockSight[];
  /** Undefined when it has none. */
  readonly selector: SelectorSizes | undefined;
  readonly rope: RopeConfig;
  /** Undefined when the file does not say. */
  readonly maxPositionEmbeddings: number | undefined;
}

const MAX_BLOCK_SIZE = 256;
const OTHER_TARGET = 'use the drafter that was trained for this target, or --drafter none';

export function parseDFlashConfig(fields: ConfigFields, target: TargetConfig): DFlashConfig {
  const inner = fields.part('dflash_config');
  requireValue(fields, 'hidden_act', 'silu');
  const maxBlockSize = Math.min(target.maxBlockSize ?? MAX_BLOCK_SIZE, MAX_BLOCK_SIZE);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  const numHiddenLayers = fields.integer('num_hidden_layers', { max: 256 });
  const sourceOf = (name: string): ConfigFields => (fields.has(name) ? fields : inner);
  const blockSize = sourceOf('block_size').integer('block_size', { min: 2, max: maxBlockSize });
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
    targetLayerIds: parseTaps(sourceOf('target_layer_ids'), numHiddenLayers, target),
    layerSights: parseLayerSights(fields, inner, numHiddenLayers),
    selector: parseSelector(inner, target),
    rope: parseRope(fields, sizes.headDim),
    maxPositionEmbeddings: fields.has('max_position_embeddings')
      ? fields.integer('max_position_embeddings')
      : undefined,
  };
  requireMatch(fields, config, target);
  return config;
}

/** The published list, or layers spread evenly from 1 to N - 3 when the file has none. */
function parseTaps(fields: ConfigFields, count: number, target: TargetConfig): number[] {
  if (fields.has('target_layer_ids')) return fields.integers('target_layer_ids');
  const n = target.numHiddenLayers;
  if (count === 1) return [Math.floor(n / 2)];
  return Array.from({ length: count }, (_, i) => roundHalfToEven(1 + (i * (n - 4)) / (count - 1)));
}

function parseSelector(inner: ConfigFields, target: TargetConfig): SelectorSizes | undefined {
  if (!inner.has('selector_rank')) return undefined;
  return {
    rank: inner.integer('selector_rank', { min: 1, max: target.hiddenSize }),
    topK: inner.integer('selector_top_k', { min: 1, max: target.vocabSize }),
  };
}

/** speculative-decoding.md B.5: full layers see the whole block, sliding ones are causal unless the file says no. */
function parseLayerSights(fields: ConfigFields, inner: ConfigFields, count: number): BlockSight[] {
  const types = parseLayerTypes(fields, count, { other: 'sliding_attention', every: 1 });
  const causalField = fields.has('is_causal') ? fields.boolean('is_causal') : undefined;
  const causal = causalField ?? (inner.has('causal') ? inner.boolean('causal') : undefined);
  const full = { window: undefined, causal: causal ?? false };
  if (!types.includes('sliding_attention')) return types.map(() => full);
  const sliding = { window: fields.integer('sliding_window'), causal: causal ?? true };
  return types.map((type) => (type === 'sliding_attention' ? sliding : full));
}

function requireMatch(fields: ConfigFields, config: DFlashConfig, target: TargetConfig): void {
  const equal = (field: string, own: number, theirs: number): void => {
    if (own !== theirs)
      throw fields.refusal(`${field} ${String(theirs)}, as the target has`, String(own), OTHER_TARGET);
  };
  equal('hidden_size', config.hiddenSize, target.hiddenSize);
  equal('vocab_size', fields.integer('vocab_size'), target.vocabSize);
  if (fields.has('num_target_layers')) {
    equal('num_target_layers', fields.integer('num_target_layers'), target.numHiddenLayers);
  }
  // The last layer's raw output is not what drafters were trained on (it is seen after the final norm there).
  const outside = config.targetLayerIds.find((id) => id >= target.numHiddenLayers - 1);
  if (outside !== undefined || config.targetLayerIds.length === 0) {
    const range = `target_layer_ids from 0 to ${String(target.numHiddenLayers - 2)}`;
    throw fields.refusal(range, outside === undefined ? 'none' : String(outside), OTHER_TARGET);
  }
  if (config.maskTokenId >= target.vocabSize) {
    throw fields.refusal(
      `mask_token_id below ${String(target.vocabSize)}`,
      String(config.maskTokenId),
      OTHER_TARGET,
    );
  }
}

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
