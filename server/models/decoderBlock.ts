// One decoder layer of the Llama shape: normed attention and a normed feed-forward part, each added to its input.
// Knows neither the family nor what kind of cache or feed-forward part it has.
import { AttentionProjections, type AttentionSizes } from './layers';
import type { Linear } from './linear';
import * as mx from './ops';
import type { Rotate } from './rope';
import type { Weights } from './weights';

/** What follows the attention: [1, L, hidden] to the same shape. */
export interface FeedForward {
  forward(x: mx.MxArray): mx.MxArray;
  linears(): Linear[];
}

/** Takes new keys and values [1, Hkv, L, D] and gives back all that a pass may see. */
export interface KeyValueStore {
  append(keys: mx.MxArray, values: mx.MxArray): { readonly keys: mx.MxArray; readonly values: mx.MxArray };
}

/** Rows before those of a pass that are only looked at: no pass before it gave the cache their keys and values. */
export interface SeenRows {
  /** [1, n, hidden], as the projections take them. */
  readonly rows: mx.MxArray;
  /** Rotates these rows together with those of the pass. */
  readonly rotate: Rotate;
}

/** One layer of a decoder: [1, L, hidden] to the same shape; the rows are appended to `cache`. */
export interface DecoderLayer {
  forward(h: mx.MxArray, rotate: Rotate, mask: mx.Mask, cache: KeyValueStore): mx.MxArray;
  linears(): Linear[];
}

export class DecoderBlock implements DecoderLayer {
  private constructor(
    private readonly rmsNormEps: number,
    readonly selfAttn: AttentionProjections,
    readonly mlp: FeedForward,
    readonly inputLayernorm: mx.MxArray,
    readonly postAttentionLayernorm: mx.MxArray,
  ) {}

  /** Takes `<path>.self_attn` and both norms; the feed-forward part comes from the family. */
  static load(weights: Weights, path: string, sizes: AttentionSizes, mlp: FeedForward): DecoderBlock {
    return new DecoderBlock(
      sizes.rmsNormEps,
      AttentionProjections.load(weights, `${path}.self_attn`, sizes),
      mlp,
      weights.norm(`${path}.input_layernorm`, sizes.hiddenSize),
      weights.norm(`${path}.post_attention_layernorm`, sizes.hiddenSize),
    );
  }

  forward(h: mx.MxArray, rotate: Rotate, mask: mx.Mask, cache: KeyValueStore, before?: SeenRows): mx.MxArray {
    const { selfAttn, rmsNormEps } = this;
    const x = mx.rmsNorm(h, this.inputLayernorm, rmsNormEps);
    const seen = before ? mx.concatenate([before.rows, x], 1) : x;
    const { keys, values } = cache.append(
      selfAttn.keys(seen, before?.rotate ?? rotate),
      selfAttn.values(seen),
    );
    const attended = mx.add(h, selfAttn.attend(selfAttn.queries(x, rotate), keys, values, mask));
    return mx.add(attended, this.mlp.forward(mx.rmsNorm(attended, this.postAttentionLayernorm, rmsNormEps)));
  }

  linears(): Linear[] {
    return [...this.selfAttn.linears(), ...this.mlp.linears()];
  }
}
