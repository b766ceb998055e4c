// One layer of a hybrid: attention or a gated delta layer, then a feed-forward part, each normed before and added to
// its input. Knows neither what mixes the rows nor what it remembers.
import type { FeedForward } from '../decoderBlock';
import type { LayerCache } from '../layerCache';
import type { Linear } from '../linear';
import * as mx from '../ops';
import type { StackLayer, Step } from '../stackLayer';
import type { Weights } from '../weights';

export class HybridBlock implements StackLayer {
  private constructor(
    private readonly rmsNormEps: number,
    readonly mixer: StackLayer,
    readonly mlp: FeedForward,
    readonly inputLayernorm: mx.MxArray,
    readonly postAttentionLayernorm: mx.MxArray,
  ) {}

  /** Takes both norms under `path`; the parts come from the family. */
  static load(
    weights: Weights,
    path: string,
    { hiddenSize, rmsNormEps }: { readonly hiddenSize: number; readonly rmsNormEps: number },
    { mixer, mlp }: { readonly mixer: StackLayer; readonly mlp: FeedForward },
  ): HybridBlock {
    const norm = (name: string): mx.MxArray => weights.norm(`${path}.${name}`, hiddenSize);
    return new HybridBlock(rmsNormEps, mixer, mlp, norm('input_layernorm'), norm('post_attention_layernorm'));
  }

  newCache(expectedRows: number): LayerCache {
    return this.mixer.newCache(expectedRows);
  }

  forward(h: mx.MxArray, step: Step, cache: LayerCache): mx.MxArray {
    const normed = (x: mx.MxArray, norm: mx.MxArray): mx.MxArray => mx.rmsNorm(x, norm, this.rmsNormEps);
    const mixed = mx.add(h, this.mixer.forward(normed(h, this.inputLayernorm), step, cache));
    return mx.add(mixed, this.mlp.forward(normed(mixed, this.postAttentionLayernorm)));
  }

  linears(): Linear[] {
    return [...this.mixer.linears(), ...this.mlp.linears()];
  }
}
