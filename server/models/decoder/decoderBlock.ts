// One decoder layer: a mixer (attention or a gated delta layer) and a feed-forward part, each with a norm before it, in
// some families also after it, and a residual connection.
import type { Arrays } from '../mlx/compiled';
import type { LayerCache } from './layerCache';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

/**
 * The parts of a mixer before and after its use of the cache. Their graphs depend only on the number of rows, so they
 * can be compiled.
 */
export interface MixerEnds<Prepared extends Arrays = Arrays> {
  /**
   * Prepares rows `x` [1, rows, hidden] for the cache: in attention, computes their keys, values and queries. `seen`
   * [1, n, hidden] are rows before them that only get keys and values.
   */
  prepare(this: void, x: mx.MxArray, rows: number, seen?: mx.MxArray): Prepared;
  /** Projects the mixed rows to [1, rows, hidden]. */
  oProj(this: void, mixed: Arrays, rows: number): mx.MxArray;
}

/**
 * Mixes the rows of a layer with those in its cache. `Pass` is the data that the layers of a decoder share in a pass.
 */
export interface Mixer<Pass> extends MixerEnds {
  /**
   * Function that creates the layer's cache, given a hint for the first allocation, or the index of an earlier layer
   * whose cache this layer shares. With an index, the layer also sees the rows that the earlier layer appends in the
   * same pass.
   */
  readonly cacheSource: ((expectedRows: number) => LayerCache) | number;
  /** Mixes prepared rows with those in the cache, and appends them unless the cache is an earlier layer's. */
  attend(prepared: mx.MxArray[], pass: Pass, cache: LayerCache): Arrays;
}

/** Maps [1, rows, hidden] to the same shape, each row by itself. */
export type FeedForward = (x: mx.MxArray) => mx.MxArray;

export interface FeedForwardParts {
  readonly feedForward: FeedForward;
  /** Part whose output is added to that of the feed-forward part; it takes the same rows, before their norm. */
  readonly parallel?: FeedForward | undefined;
}

/** Adds an input for this layer alone, [1, rows, width], to the layer's output `h`, [1, rows, hidden]. */
export type AddInput = (h: mx.MxArray, input: mx.MxArray) => mx.MxArray;

/** The parts of a layer. */
export interface BlockParts<Prepared extends Arrays> extends FeedForwardParts {
  readonly mixer: MixerEnds<Prepared>;
  readonly addInput?: AddInput | undefined;
}

export interface BlockSizes {
  readonly hiddenSize: number;
  readonly rmsNormEps: number;
  /**
   * Whether the outputs of mixer and feed-forward part have a norm too; `parallel`, `addInput` and `layerScalar` need
   * it.
   */
  readonly sandwichNorms?: boolean | undefined;
  /** Whether the output of the layer is multiplied by a learned number. */
  readonly layerScalar?: boolean | undefined;
}

/** The computations of a layer before and after the use of its cache. */
export interface DecoderBlock<Prepared extends Arrays = Arrays> {
  /** Applies the first norm to the layer's input `h` [1, rows, hidden] and prepares the result for the cache. */
  before(this: void, h: mx.MxArray, rows: number, seen?: mx.MxArray): Prepared;
  /** Returns the layer's output [1, rows, hidden]; `input` is the additional input of this layer, if it has one. */
  after(this: void, h: mx.MxArray, mixed: Arrays, rows: number, input?: mx.MxArray): mx.MxArray;
}

/** Loads the norms of the layer at `path` and connects its parts. */
export function decoderBlock<Prepared extends Arrays>(
  weights: Weights,
  path: string,
  sizes: BlockSizes,
  { mixer: { prepare, oProj }, feedForward, parallel, addInput }: BlockParts<Prepared>,
): DecoderBlock<Prepared> {
  const norm = (name: string) => loadNorm(weights, `${path}.${name}`, sizes);
  const inputNorm = norm('input_layernorm');
  const attentionNorm = norm('post_attention_layernorm');
  const before: DecoderBlock<Prepared>['before'] = (h, rows, seen) => prepare(inputNorm(h), rows, seen);
  if (!sizes.sandwichNorms) {
    return {
      before,
      after(h, mixed, rows) {
        const sum = mx.add(h, oProj(mixed, rows));
        return mx.add(sum, feedForward(attentionNorm(sum)));
      },
    };
  }
  const feedForwardNorm = norm('pre_feedforward_layernorm');
  const outputNorm = norm('post_feedforward_layernorm');
  const scalar = sizes.layerScalar ? weights.vector(`${path}.layer_scalar`, 1) : undefined;
  return {
    before,
    after(h, mixed, rows, input) {
      const sum = mx.add(h, attentionNorm(oProj(mixed, rows)));
      const fed = feedForward(feedForwardNorm(sum));
      const output = mx.add(sum, outputNorm(parallel ? mx.add(fed, parallel(sum)) : fed));
      const withInput = addInput && input ? addInput(output, input) : output;
      return scalar ? mx.multiply(withInput, scalar) : withInput;
    },
  };
}

/** Loads the norm at `path`, over whole rows. */
export function loadNorm(weights: Weights, path: string, { hiddenSize, rmsNormEps }: BlockSizes) {
  const weight = weights.norm(path, hiddenSize);
  return (x: mx.MxArray): mx.MxArray => mx.rmsNorm(x, weight, rmsNormEps);
}
