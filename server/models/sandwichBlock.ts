// One decoder layer whose attention and feed-forward part are normed before and after, each then added to its input
// (speculative-decoding.md F.6). Knows neither the family nor the kind of its cache.
import type { DecoderLayer, KeyValueStore } from './decoderBlock';
import { AttentionProjections, GatedMlp, type AttentionSizes, type MlpSizes } from './layers';
import type { Linear } from './linear';
import * as mx from './ops';
import type { Rotate } from './rope';
import type { Weights } from './weights';

export class SandwichBlock implements DecoderLayer {
  private constructor(
    private readonly rmsNormEps: number,
    readonly selfAttn: AttentionProjections,
    readonly mlp: GatedMlp,
    readonly inputLayernorm: mx.MxArray,
    readonly postAttentionLayernorm: mx.MxArray,
    readonly preFeedforwardLayernorm: mx.MxArray,
    readonly postFeedforwardLayernorm: mx.MxArray,
  ) {}

  static load(weights: Weights, path: string, sizes: AttentionSizes & MlpSizes): SandwichBlock {
    const norm = (name: string) => weights.norm(`${path}.${name}`, sizes.hiddenSize);
    return new SandwichBlock(
      sizes.rmsNormEps,
      AttentionProjections.load(weights, `${path}.self_attn`, sizes),
      GatedMlp.load(weights, `${path}.mlp`, sizes),
      norm('input_layernorm'),
      norm('post_attention_layernorm'),
      norm('pre_feedforward_layernorm'),
      norm('post_feedforward_layernorm'),
    );
  }

  forward(h: mx.MxArray, rotate: Rotate, mask: mx.Mask, cache: KeyValueStore): mx.MxArray {
    const { selfAttn } = this;
    const x = this.#norm(h, this.inputLayernorm);
    const { keys, values } = cache.append(selfAttn.keys(x, rotate), selfAttn.values(x));
    const seen = selfAttn.attend(selfAttn.queries(x, rotate), keys, values, mask);
    const attended = mx.add(h, this.#norm(seen, this.postAttentionLayernorm));
    const fed = this.mlp.forward(this.#norm(attended, this.preFeedforwardLayernorm));
    return mx.add(attended, this.#norm(fed, this.postFeedforwardLayernorm));
  }

  linears(): Linear[] {
    return [...this.selfAttn.linears(), ...this.mlp.linears()];
  }

  #norm(x: mx.MxArray, weight: mx.MxArray): mx.MxArray {
    return mx.rmsNorm(x, weight, this.rmsNormEps);
  }
}
