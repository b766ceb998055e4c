// The attention layers of a decoder, of at most two kinds: full layers, which see everything before them, and sliding
// ones, which see a window and may be rotated differently. What layers of a kind share in a pass is made once. Knows no
// family.
import {
  loadAttention,
  loadQueries,
  queryScales,
  type GatedQueries,
  type Positions,
  type PreparedAttention,
} from './attention';
import { sightMask } from './sightMask';
import type { ConfigFields } from '../checkpoint/configFields';
import type { DecoderConfig } from './decoderConfig';
import type { Mixers } from './decoderLayers';
import { decoderStack } from './decoderStack';
import { KVCache } from './kvCache';
import { cacheOf } from './layerCache';
import { newRope } from './rope';
import type { RopeConfig } from './ropeConfig';
import type { LoadTarget, ModelFiles } from './target';
import type { Weights } from '../checkpoint/weights';

/** What the layers share in one pass; if all are of one kind, both are the same. */
export interface AttentionPass {
  readonly rows: number;
  readonly full: Positions;
  readonly sliding: Positions;
}

/**
 * A family whose layers are all attention with a feed-forward part, so that its configuration determines everything.
 */
export function attentionDecoder(parse: (fields: ConfigFields) => DecoderConfig): LoadTarget {
  const load = async (files: ModelFiles) => {
    const config = parse(files.fields);
    return await decoderStack(files, config, (weights) => attentionLayers(config, weights));
  };
  return Object.assign(load, { parse });
}

export function attentionLayers(config: DecoderConfig, weights: Weights): Mixers<AttentionPass> {
  const { layerTypes, sliding } = config;
  const { dtype } = weights.device;
  const positions = attentionPass(config, weights);
  return {
    pass: positions,
    load: (path, index) => {
      const window = layerTypes[index] === 'sliding_attention' ? sliding?.window : undefined;
      const sizes = window === undefined ? { ...config, ...config.fullHeads } : config;
      const own = `${path}.self_attn`;
      const kind = window === undefined ? 'full' : 'sliding';
      const shared = sharedLayer(config, index);
      if (shared !== undefined) {
        const { queries, attend, oProj } = loadQueries(weights, own, sizes);
        return {
          memory: shared,
          prepare: queries,
          attend: (asked: GatedQueries, pass, cache) =>
            attend(asked, pass[kind], cacheOf(KVCache, cache).seenBy(pass.rows)),
          oProj,
        };
      }
      const { keysValues, queries, attend, oProj } = loadAttention(weights, own, sizes);
      const shape = { heads: sizes.numKeyValueHeads, headDim: sizes.headDim, dtype, window };
      return {
        memory: (expectedRows) => new KVCache(shape, expectedRows),
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

/** What the layers share in a pass. */
function attentionPass(config: DecoderConfig, weights: Weights) {
  const { layerTypes, sliding, queryScaling } = config;
  const { dtype } = weights.device;
  const kind = (rope: RopeConfig, window?: number) => {
    const rotateAt = newRope(rope, weights);
    return (offset: number, rows: number): Positions => ({
      rotate: rotateAt(offset, rows),
      mask: sightMask({ window, causal: true }, offset, rows, dtype),
      scale: queryScaling && queryScales(queryScaling, offset, rows, dtype),
    });
  };
  const near = sliding && kind(sliding.rope, sliding.window);
  const whole = near && !layerTypes.includes('full_attention') ? near : kind(config.rope);
  return (offset: number, rows: number): AttentionPass => {
    const full = whole(offset, rows);
    return { rows, full, sliding: near && near !== whole ? near(offset, rows) : full };
  };
}

/** The layer whose keys and values this one uses instead of its own: the last of the same type that has its own. */
function sharedLayer({ layerTypes, sharing }: DecoderConfig, index: number): number | undefined {
  if (sharing === undefined || index < sharing.firstLayer) return undefined;
  return layerTypes.slice(0, sharing.firstLayer).lastIndexOf(layerTypes[index] ?? 'full_attention');
}
