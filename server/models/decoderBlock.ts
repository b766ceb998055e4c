// One decoder layer: what mixes its rows and what feeds each of them, normed before, in some families after too, and
// added to its input. Knows neither the family nor what the parts compute.
import type { LayerCache } from './layerCache';
import * as mx from './ops';
import type { Weights } from './weights';

/** What mixes the rows of a layer: attention or a gated delta layer, which gets what such layers share in a pass. */
export interface Mixer<Pass> {
  /**
   * Makes its memory, with a hint for the first allocation; or the index of an earlier layer, whose memory it sees as
   * that has left it in the same pass.
   */
  readonly memory: ((expectedRows: number) => LayerCache) | number;
  /** [1, rows, hidden] to the same shape; `cache`, which is that memory, remembers the rows. */
  forward(x: mx.MxArray, pass: Pass, cache: LayerCache): mx.MxArray;
}

/** What follows: [1, L, hidden] to the same shape, each row by itself. */
export interface FeedForward {
  forward(x: mx.MxArray): mx.MxArray;
}

/** What some families have in their layers besides. */
export interface BlockParts {
  /** Adds to what the feed-forward part gives, from the same rows before their norm. */
  readonly beside?: ((rows: mx.MxArray) => mx.MxArray) | undefined;
  /** Adds the layer's own input [1, L, width] to its output, [1, L, hidden]. */
  readonly addInput?: ((h: mx.MxArray, input: mx.MxArray) => mx.MxArray) | undefined;
}

export interface BlockSizes {
  readonly hiddenSize: number;
  readonly rmsNormEps: number;
  /** Whether what comes out of both parts is normed too (speculative-decoding.md F.6). */
  readonly sandwichNorms?: boolean | undefined;
  /** Whether the output is multiplied with a number of the layer's own, at last. */
  readonly layerScalar?: boolean | undefined;
}

/** [1, L, hidden] to the same shape; `mix` is the part before the feed-forward one, in this pass. */
export type DecoderBlock = (
  h: mx.MxArray,
  mix: (x: mx.MxArray) => mx.MxArray,
  input?: mx.MxArray,
) => mx.MxArray;

/** Takes the norms under `path`. */
export function decoderBlock(
  weights: Weights,
  path: string,
  sizes: BlockSizes,
  feedForward: FeedForward,
  { beside, addInput }: BlockParts = {},
): DecoderBlock {
  const norm = (name: string) => loadNorm(weights, `${path}.${name}`, sizes);
  const [input, attended] = [norm('input_layernorm'), norm('post_attention_layernorm')];
  if (!sizes.sandwichNorms) {
    return (h, mix) => {
      const mixed = mx.add(h, mix(input(h)));
      return mx.add(mixed, feedForward.forward(attended(mixed)));
    };
  }
  const [before, after] = [norm('pre_feedforward_layernorm'), norm('post_feedforward_layernorm')];
  const scalar = sizes.layerScalar ? weights.vector(`${path}.layer_scalar`, 1) : undefined;
  return (h, mix, own) => {
    const mixed = mx.add(h, attended(mix(input(h))));
    const fed = feedForward.forward(before(mixed));
    const output = mx.add(mixed, after(beside ? mx.add(fed, beside(mixed)) : fed));
    const whole = addInput && own ? addInput(output, own) : output;
    return scalar ? mx.multiply(whole, scalar) : whole;
  };
}

/** The norm of that path, over all of a row. */
export function loadNorm(weights: Weights, path: string, { hiddenSize, rmsNormEps }: BlockSizes) {
  const weight = weights.norm(path, hiddenSize);
  return (x: mx.MxArray): mx.MxArray => mx.rmsNorm(x, weight, rmsNormEps);
}
