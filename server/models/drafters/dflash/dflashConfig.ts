// config.json of a z-lab DFlash drafter (speculative-decoding.md B.1), checked against its target.
import { quoted } from '../../../rules/inputError';
import {
  parseBlockSize,
  parseMaxPositions,
  requireTarget,
  type BlockConfig,
} from '../blockDrafter/blockConfig';
import type { ConfigFields } from '../../checkpoint/configFields';
import { parseAttentionSizes, parseLayerTypes, requireOneOf, SILU } from '../../decoder/decoderConfig';
import type { BlockSight } from '../../decoder/masks';
import { parseRope } from '../../decoder/ropeConfig';
import type { TargetConfig } from '../../decoder/target';
import type { SelectorSizes } from './candidateSelector';

export interface DFlashConfig extends BlockConfig {
  /** Rows of the narrowest block that it was trained on; blockSize where the file does not say. */
  readonly minBlockSize: number;
  /** Undefined when it has none. */
  readonly selector: SelectorSizes | undefined;
}

const OTHER_SEMANTIC =
  'use a checkpoint whose architectures are those of DSpark, or one whose rows predict their own token';

export function parseDFlashConfig(fields: ConfigFields, target: TargetConfig): DFlashConfig {
  const inner = fields.part('dflash_config');
  requireOneOf(fields, 'hidden_act', SILU);
  requireOwnPositions(fields, inner);
  const sizes = { ...parseAttentionSizes(fields), headNorms: true };
  const numHiddenLayers = fields.integer('num_hidden_layers', { max: 256 });
  const sourceOf = (name: string): ConfigFields => (fields.has(name) ? fields : inner);
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
    targetLayerIds: parseTaps(sourceOf('target_layer_ids'), numHiddenLayers, target),
    layerSights: parseLayerSights(fields, inner, numHiddenLayers),
    selector: parseSelector(inner, target),
    rope: parseRope(fields, sizes.headDim),
    maxPositionEmbeddings: parseMaxPositions(fields),
  };
  requireTarget(fields, config, target);
  return config;
}

/** Rows that predict the next token are off by one here, which nobody would see: the text stays right, only slow. */
function requireOwnPositions(fields: ConfigFields, inner: ConfigFields): void {
  for (const [name, own] of [
    ['shift_label', false],
    ['projector_type', 'dflash'],
    ['markov_rank', null],
  ] as const)
    for (const source of [fields, inner])
      if (source.has(name) && source.raw(name) !== own) {
        const expected = own === null ? `no ${name} beside DFlashDraftModel` : `${name} ${String(own)}`;
        throw source.refusal(expected, quoted(source.raw(name)), OTHER_SEMANTIC);
      }
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

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
