// One decoder layer: a part that mixes its rows and a feed-forward part, each normed before (in some families after
// too) and added to its input. Knows neither the family nor what the parts compute.
import type { Arrays } from '../mlx/compiled';
import type { LayerCache } from './layerCache';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

/** The part of a mixer that needs no memory: its graph depends on the number of rows alone, so it can be compiled. */
export interface MixerEnds<Prepared extends Arrays = Arrays> {
  /** Of [1, rows, hidden], what meets the memory. `seen` [1, n, hidden] are rows before them that are only attended to. */
  prepare(this: void, x: mx.MxArray, rows: number, seen?: mx.MxArray): Prepared;
  /** Of what comes back, [1, rows, hidden]. */
  oProj(this: void, mixed: Arrays, rows: number): mx.MxArray;
}

/** Mixes the rows of a layer: attention or a gated delta layer. It is given what such layers share in a pass. */
export interface Mixer<Pass> extends MixerEnds {
  /**
   * Makes the layer's memory, given a hint for the first allocation. A number is the index of an earlier layer whose
   * memory this one shares: it sees what that layer has written, in the same pass too.
   */
  readonly memory: ((expectedRows: number) => LayerCache) | number;
  /** Has what was prepared meet that memory, which remembers the rows. */
  attend(prepared: mx.MxArray[], pass: Pass, cache: LayerCache): Arrays;
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
  /** Whether the outputs of both parts are normed too. */
  readonly sandwichNorms?: boolean | undefined;
  /** Whether the output is finally multiplied by a learned number. */
  readonly layerScalar?: boolean | undefined;
}

/** A layer without what `mix` does in it. */
export interface DecoderBlock<Prepared extends Arrays = Arrays> {
  /** What the input `h` [1, rows, hidden] of the layer is made into before it is mixed. */
  before(this: void, h: mx.MxArray, rows: number, seen?: mx.MxArray): Prepared;
  /** The output of the layer, from the same `h` and what was mixed; `own` is what this layer alone is given. */
  after(this: void, h: mx.MxArray, mixed: Arrays, rows: number, own?: mx.MxArray): mx.MxArray;
}

/** Takes the norms under `path`. */
export function decoderBlock<Prepared extends Arrays>(
  weights: Weights,
  path: string,
  sizes: BlockSizes,
  { prepare, oProj }: MixerEnds<Prepared>,
  feedForward: FeedForward,
  { beside, addInput }: BlockParts = {},
): DecoderBlock<Prepared> {
  const norm = (name: string) => loadNorm(weights, `${path}.${name}`, sizes);
  const [input, attended] = [norm('input_layernorm'), norm('post_attention_layernorm')];
  const before: DecoderBlock<Prepared>['before'] = (h, rows, seen) => prepare(input(h), rows, seen);
  if (!sizes.sandwichNorms) {
    return {
      before,
      after(h, mixed, rows) {
        const sum = mx.add(h, oProj(mixed, rows));
        return mx.add(sum, feedForward.forward(attended(sum)));
      },
    };
  }
  const [inner, outer] = [norm('pre_feedforward_layernorm'), norm('post_feedforward_layernorm')];
  const scalar = sizes.layerScalar ? weights.vector(`${path}.layer_scalar`, 1) : undefined;
  return {
    before,
    after(h, mixed, rows, own) {
      const sum = mx.add(h, attended(oProj(mixed, rows)));
      const fed = feedForward.forward(inner(sum));
      const output = mx.add(sum, outer(beside ? mx.add(fed, beside(sum)) : fed));
      const whole = addInput && own ? addInput(output, own) : output;
      return scalar ? mx.multiply(whole, scalar) : whole;
    },
  };
}

/** The norm at `path`, over whole rows. */
export function loadNorm(weights: Weights, path: string, { hiddenSize, rmsNormEps }: BlockSizes) {
  const weight = weights.norm(path, hiddenSize);
  return (x: mx.MxArray): mx.MxArray => mx.rmsNorm(x, weight, rmsNormEps);
}
