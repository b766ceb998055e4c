// One decoder layer: a part that mixes its rows and a feed-forward part, each normed before (in some families after
// too) and added to its input. Knows neither the family nor what the parts compute.
import type { LayerCache } from './layerCache';
import * as mx from './ops';
import type { Weights } from './weights';

/** Mixes the rows of a layer: attention or a gated delta layer. It is given what such layers share in a pass. */
export interface Mixer<Pass> {
  /** `expectedRows` is a hint for the first allocation. */
  newCache(expectedRows: number): LayerCache;
  /** [1, rows, hidden] to the same shape; `cache`, which newCache made, remembers the rows. */
  forward(x: mx.MxArray, pass: Pass, cache: LayerCache): mx.MxArray;
}

/** What follows: [1, L, hidden] to the same shape, each row by itself. */
export interface FeedForward {
  forward(x: mx.MxArray): mx.MxArray;
}

export interface BlockSizes {
  readonly hiddenSize: number;
  readonly rmsNormEps: number;
  /** Whether the outputs of both parts are normed too (speculative-decoding.md F.6). */
  readonly sandwichNorms?: boolean | undefined;
}

/** [1, L, hidden] to the same shape; `mix` is the part before the feed-forward one, in this pass. */
export type DecoderBlock = (h: mx.MxArray, mix: (x: mx.MxArray) => mx.MxArray) => mx.MxArray;

/** Takes the norms under `path`. */
export function decoderBlock(
  weights: Weights,
  path: string,
  sizes: BlockSizes,
  feedForward: FeedForward,
): DecoderBlock {
  const norm = (name: string) => {
    const weight = weights.norm(`${path}.${name}`, sizes.hiddenSize);
    return (x: mx.MxArray): mx.MxArray => mx.rmsNorm(x, weight, sizes.rmsNormEps);
  };
  const [input, attended] = [norm('input_layernorm'), norm('post_attention_layernorm')];
  if (!sizes.sandwichNorms) {
    return (h, mix) => {
      const mixed = mx.add(h, mix(input(h)));
      return mx.add(mixed, feedForward.forward(attended(mixed)));
    };
  }
  const [before, after] = [norm('pre_feedforward_layernorm'), norm('post_feedforward_layernorm')];
  return (h, mix) => {
    const mixed = mx.add(h, attended(mix(input(h))));
    return mx.add(mixed, after(feedForward.forward(before(mixed))));
  };
}
