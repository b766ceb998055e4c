// The attention layers of a decoder, of at most two kinds: full layers, which see everything before them, and sliding
// ones, which see a window and may be rotated differently. What layers of a kind share in a pass is made once. Knows no
// family.
import { loadAttention, type Positions } from './attention';
import type { ConfigFields } from './configFields';
import type { DecoderConfig } from './decoderConfig';
import { decoderStack, type Mixers } from './decoderStack';
import type { Device } from './device';
import { KVCache } from './kvCache';
import { cacheOf } from './layerCache';
import { additiveWindowMask, windowMask } from './masks';
import { newRope } from './rope';
import type { RopeConfig } from './ropeConfig';
import type { LoadTarget } from './target';
import type { Weights } from './weights';

/** What the layers share in one pass; if all are of one kind, both are the same. */
export interface AttentionPass {
  readonly full: Positions;
  readonly sliding: Positions;
}

/**
 * A family whose layers are all attention with a feed-forward part, so that its configuration determines everything.
 */
export function attentionDecoder(
  parse: (directory: string, fields: ConfigFields) => DecoderConfig,
): LoadTarget {
  return async (files) => {
    const config = parse(files.directory, files.fields);
    return await decoderStack(files, config, (weights) => attentionLayers(config, files.device, weights));
  };
}

export function attentionLayers(
  config: DecoderConfig,
  device: Device,
  weights: Weights,
): Mixers<AttentionPass> {
  const { dtype } = device;
  const { numKeyValueHeads: heads, headDim, layerTypes, sliding } = config;
  const makeMask = config.attnLogitSoftcapping === undefined ? windowMask : additiveWindowMask;
  const kind = (rope: RopeConfig, window = Infinity) => {
    const turns = newRope(rope, device, weights);
    return (offset: number, rows: number): Positions => ({
      rotate: turns.at(offset, rows),
      mask: makeMask(rows, offset, window, dtype),
    });
  };
  const near = sliding && kind(sliding.rope, sliding.window);
  const whole = near && !layerTypes.includes('full_attention') ? near : kind(config.rope);
  return {
    pass: (offset, rows) => {
      const full = whole(offset, rows);
      return { full, sliding: near && near !== whole ? near(offset, rows) : full };
    },
    load: (path, index) => {
      const window = layerTypes[index] === 'sliding_attention' ? sliding?.window : undefined;
      const attention = loadAttention(weights, `${path}.self_attn`, config);
      const shape = { heads, headDim, dtype, window };
      return {
        newCache: (expectedRows) => new KVCache(shape, expectedRows),
        forward: (x, { full, sliding }, cache) =>
          attention.forward(x, window === undefined ? full : sliding, cacheOf(KVCache, cache)),
      };
    },
  };
}
