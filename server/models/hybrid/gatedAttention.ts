// Attention of hybrids: grouped queries with a norm per head, of which a part turns with the position, and a gate for
// each output, which comes out of the query projection. Names equal the checkpoint's.
import type { Device } from '../device';
import { KVCache } from '../kvCache';
import { cacheOf, type LayerCache } from '../layerCache';
import type { LayerPositions } from '../layerPositions';
import type { AttentionSizes } from '../layers';
import type { Linear } from '../linear';
import * as mx from '../ops';
import type { Step } from '../stackLayer';
import type { Weights } from '../weights';

export class GatedAttention {
  private constructor(
    private readonly sizes: AttentionSizes,
    private readonly positions: LayerPositions,
    private readonly dtype: mx.Dtype,
    /** Per head its query and then its gate. */
    readonly qProj: Linear,
    readonly kProj: Linear,
    readonly vProj: Linear,
    readonly oProj: Linear,
    readonly qNorm: mx.MxArray,
    readonly kNorm: mx.MxArray,
  ) {}

  static load(
    weights: Weights,
    path: string,
    sizes: AttentionSizes,
    positions: LayerPositions,
    { dtype }: Device,
  ): GatedAttention {
    const { hiddenSize, headDim, attentionBias: bias } = sizes;
    const [wide, narrow] = [sizes.numAttentionHeads * headDim, sizes.numKeyValueHeads * headDim];
    return new GatedAttention(
      sizes,
      positions,
      dtype,
      weights.linear(`${path}.q_proj`, 2 * wide, hiddenSize, { bias }),
      weights.linear(`${path}.k_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.v_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.o_proj`, hiddenSize, wide, { bias: sizes.outputBias }),
      weights.norm(`${path}.q_norm`, headDim),
      weights.norm(`${path}.k_norm`, headDim),
    );
  }

  newCache(expectedRows: number): KVCache {
    const { numKeyValueHeads: heads, headDim } = this.sizes;
    return new KVCache({ heads, headDim, dtype: this.dtype }, expectedRows);
  }

  linears(): Linear[] {
    return [this.qProj, this.kProj, this.vProj, this.oProj];
  }

  /** [1, rows, hidden] to the same shape. */
  forward(x: mx.MxArray, step: Step, cache: LayerCache): mx.MxArray {
    const { numAttentionHeads, numKeyValueHeads, headDim, rmsNormEps } = this.sizes;
    const { rotate, mask } = this.positions.at(step);
    const split = (y: mx.MxArray, heads: number): mx.MxArray => mx.reshape(y, 1, step.rows, heads, -1);
    const turned = (y: mx.MxArray, norm: mx.MxArray): mx.MxArray =>
      rotate(byHead(mx.rmsNorm(y, norm, rmsNormEps)));
    const asked = split(this.qProj.forward(x), numAttentionHeads);
    const { keys, values } = cacheOf(KVCache, cache).append(
      turned(split(this.kProj.forward(x), numKeyValueHeads), this.kNorm),
      byHead(split(this.vProj.forward(x), numKeyValueHeads)),
    );
    const queries = turned(mx.slice(asked, 3, 0, headDim), this.qNorm);
    const seen = byHead(mx.attention(queries, keys, values, headDim ** -0.5, mask));
    const gates = mx.sigmoid(mx.slice(asked, 3, headDim, 2 * headDim));
    return this.oProj.forward(mx.reshape(mx.multiply(seen, gates), 1, step.rows, -1));
  }
}

/** [1, rows, heads, headDim] to [1, heads, rows, headDim], and back. */
function byHead(y: mx.MxArray): mx.MxArray {
  return mx.transpose(y, 0, 2, 1, 3);
}
