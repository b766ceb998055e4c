// The attention layers of a decoder, of at most two kinds: full layers, which attend to everything before a row, and
// sliding layers, which attend to a window and can have another rotation. Masks and rotations are made once per pass
// and kind.
import {
  loadAttention,
  loadQueries,
  queryScales,
  type GatedQueries,
  type Positions,
  type PreparedAttention,
} from './attention';
import { attentionMask } from './attentionMask';
import type { ConfigFields } from '../checkpoint/configFields';
import type { DecoderConfig } from './decoderConfig';
import type { Mixers } from './decoderLayers';
import { decoderStack } from './decoderStack';
import { KVCache } from './kvCache';
import { cacheOf } from './layerCache';
import { newRope } from './rope';
import type { RopeConfig } from './ropeConfig';
import type { TargetFamily } from './target';
import type { Weights } from '../checkpoint/weights';

/** Positions of one pass, by kind of layer; if there is only one kind, `full` and `sliding` are the same object. */
export interface AttentionPass {
  readonly rows: number;
  readonly full: Positions;
  readonly sliding: Positions;
}

/** Creates a family whose layers are all attention. `parse` reads its config. */
export function attentionDecoder(parse: (fields: ConfigFields) => DecoderConfig): TargetFamily {
  return (fields) => {
    const config = parse(fields);
    return (files) => decoderStack(files, config, (weights) => attentionLayers(config, weights));
  };
}

/** Returns the mixers of a decoder whose layers are all attention, with caches of keys and values. */
export function attentionLayers(config: DecoderConfig, weights: Weights): Mixers<AttentionPass> {
  const { layerTypes, sliding } = config;
  const { dtype } = weights.device;
  return {
    pass: attentionPass(config, weights),
    load: (path, index) => {
      const window = layerTypes[index] === 'sliding_attention' ? sliding?.window : undefined;
      const sizes = window === undefined ? { ...config, ...config.fullHeads } : config;
      const attentionPath = `${path}.self_attn`;
      const kind = window === undefined ? 'full' : 'sliding';
      const shared = sharedLayer(config, index);
      if (shared !== undefined) {
        const { queries, attend, oProj } = loadQueries(weights, attentionPath, sizes);
        return {
          cacheSource: shared,
          prepare: queries,
          attend: (gated: GatedQueries, pass, cache) =>
            attend(gated, pass[kind], cacheOf(KVCache, cache).seenBy(pass.rows)),
          oProj,
        };
      }
      const { keysValues, queries, attend, oProj } = loadAttention(weights, attentionPath, sizes);
      const shape = { heads: sizes.numKeyValueHeads, headDim: sizes.headDim, dtype, window };
      return {
        cacheSource: (expectedRows) => new KVCache(shape, expectedRows),
        prepare: (x, rows) => [...keysValues(x, rows), ...queries(x, rows)],
        attend([keys, values, queries, ...gates]: PreparedAttention, pass, cache) {
          const seen = cacheOf(KVCache, cache).append(pass[kind].rotate(keys), values);
          return attend([queries, ...gates], pass[kind], seen);
        },
        oProj,
      };
    },
  };
}

/** Returns the function that makes rotation and mask of a pass for each kind of layer. */
function attentionPass(config: DecoderConfig, weights: Weights) {
  const { layerTypes, sliding, queryScaling } = config;
  const { dtype } = weights.device;
  const positionsWith = (rope: RopeConfig, window?: number) => {
    const rotateAt = newRope(rope, weights);
    return (offset: number, rows: number): Positions => ({
      rotate: rotateAt(offset, rows),
      mask: attentionMask({ window, causal: true }, offset, rows, dtype),
      scale: queryScaling && queryScales(queryScaling, offset, rows, dtype),
    });
  };
  const slidingAt = sliding && positionsWith(sliding.rope, sliding.window);
  const fullAt = slidingAt && !layerTypes.includes('full_attention') ? slidingAt : positionsWith(config.rope);
  return (offset: number, rows: number): AttentionPass => {
    const full = fullAt(offset, rows);
    return { rows, full, sliding: slidingAt && slidingAt !== fullAt ? slidingAt(offset, rows) : full };
  };
}

/**
 * Returns the index of the layer whose cache this layer shares, the last of the same type with its own cache; undefined
 * if this layer has its own.
 */
function sharedLayer({ layerTypes, sharing }: DecoderConfig, index: number): number | undefined {
  if (sharing === undefined || index < sharing.firstLayer) return undefined;
  return layerTypes.slice(0, sharing.firstLayer).lastIndexOf(layerTypes[index] ?? 'full_attention');
}
