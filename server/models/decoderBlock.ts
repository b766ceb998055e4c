// One decoder layer: a part that mixes its rows and a feed-forward part, each normed before (in some families after
// too) and added to its input. Knows neither the family nor what the parts compute.
import type { LayerCache } from './layerCache';
import * as mx from './ops';
import type { Weights } from './weights';

/** Mixes the rows of a layer: attention or a gated delta layer. It is given what such layers share in a pass. */
export interface Mixer<Pass> {
  /**
   * Makes the layer's memory, given a hint for the first allocation. A number is the index of an earlier layer whose
   * memory this one shares: it sees what that layer has written, in the same pass too.
   */
  readonly memory: ((expectedRows: number) => LayerCache) | number;
  /** [1, rows, hidden] to the same shape; `cache` is that memory, which remembers the rows. */
  forward(x: mx.MxArray, pass: Pass, cache: LayerCache): mx.MxArray;
}

/** What follows: [1, L, hidden] to the same shape, each row by itself. */
export interface FeedForward {
  forward(x: mx.MxArray): mx.MxArray;
}

/** Additional parts that the layers of some families have. */
export interface BlockParts {
  /** Added to the output of the feed-forward part; it is given the same rows before their norm. */
  readonly beside?: ((rows: mx.MxArray) => mx.MxArray) | undefined;
  /** Adds an input of this layer alone, [1, L, width], to its output `h`, [1, L, hidden]. */
  readonly addInput?: ((h: mx.MxArray, input: mx.MxArray) => mx.MxArray) | undefined;
}

export interface BlockSizes {
  readonly hiddenSize: number;
  readonly rmsNormEps: number;
  /** Whether the outputs of both parts are normed too (speculative-decoding.md F.6). */
  readonly sandwichNorms?: boolean | undefined;
  /** Whether the output is finally multiplied by a learned number. */
  readonly layerScalar?: boolean | undefined;
}

/**
 * [1, L, hidden] to the same shape; `mix` is the part before the feed-forward one, in this pass, and `input` what this
 * layer alone is given.
 */
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

/** The norm at `path`, over whole rows. */
export function loadNorm(weights: Weights, path: string, { hiddenSize, rmsNormEps }: BlockSizes) {
  const weight = weights.norm(path, hiddenSize);
  return (x: mx.MxArray): mx.MxArray => mx.rmsNorm(x, weight, rmsNormEps);
}
