// Pieces that Llama-shaped networks share: the projections of grouped-query attention and the gated MLP.
// They take plain sizes, never a config object.
import { cappedAttention } from './cappedAttention';
import type { Linear } from './linear';
import * as mx from './ops';
import type { Rotate } from './rope';
import type { Weights } from './weights';

export interface AttentionSizes {
  readonly hiddenSize: number;
  readonly numAttentionHeads: number;
  readonly numKeyValueHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  /** Whether the q, k and v projections add a bias. */
  readonly attentionBias: boolean;
  /** Whether the output projection does. */
  readonly outputBias: boolean;
  /** Whether q and k are normed per head before they turn. */
  readonly headNorms: boolean;
  /** What the products of q and k are multiplied with; headDim^-0.5 where it is left out. */
  readonly queryScale?: number | undefined;
  /** Soft limit of these scores; none where it is left out. */
  readonly attnLogitSoftcapping?: number | undefined;
}

/** q, k, v and output projections. The caller brings mask and cache. */
export class AttentionProjections {
  readonly #scale: number;

  private constructor(
    private readonly sizes: AttentionSizes,
    readonly qProj: Linear,
    readonly kProj: Linear,
    readonly vProj: Linear,
    readonly oProj: Linear,
    readonly qNorm: mx.MxArray | undefined,
    readonly kNorm: mx.MxArray | undefined,
  ) {
    this.#scale = sizes.queryScale ?? sizes.headDim ** -0.5;
  }

  static load(weights: Weights, path: string, sizes: AttentionSizes): AttentionProjections {
    const { hiddenSize, headDim, attentionBias: bias } = sizes;
    const [wide, narrow] = [sizes.numAttentionHeads * headDim, sizes.numKeyValueHeads * headDim];
    const norm = (name: string) => (sizes.headNorms ? weights.norm(`${path}.${name}`, headDim) : undefined);
    return new AttentionProjections(
      sizes,
      weights.linear(`${path}.q_proj`, wide, hiddenSize, { bias }),
      weights.linear(`${path}.k_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.v_proj`, narrow, hiddenSize, { bias }),
      weights.linear(`${path}.o_proj`, hiddenSize, wide, { bias: sizes.outputBias }),
      norm('q_norm'),
      norm('k_norm'),
    );
  }

  linears(): Linear[] {
    return [this.qProj, this.kProj, this.vProj, this.oProj];
  }

  /** [1, L, hidden] to [1, H, L, D], normed (where there are norms) and rotated. */
  queries(x: mx.MxArray, rotate: Rotate): mx.MxArray {
    return rotate(this.#heads(this.qProj.forward(x), this.sizes.numAttentionHeads, this.qNorm));
  }

  /** [1, L, hidden] to [1, Hkv, L, D], normed (where there are norms) and rotated. */
  keys(x: mx.MxArray, rotate: Rotate): mx.MxArray {
    return rotate(this.#heads(this.kProj.forward(x), this.sizes.numKeyValueHeads, this.kNorm));
  }

  /** [1, L, hidden] to [1, Hkv, L, D]. */
  values(x: mx.MxArray): mx.MxArray {
    return this.#heads(this.vProj.forward(x), this.sizes.numKeyValueHeads);
  }

  /** Attends and projects back to [1, L, hidden]. */
  attend(q: mx.MxArray, k: mx.MxArray, v: mx.MxArray, mask: mx.Mask): mx.MxArray {
    const y = this.#attention(q, k, v, mask);
    const rows = q.shape[2] ?? 0;
    const byRow = rows === 1 ? y : mx.transpose(y, 0, 2, 1, 3);
    return this.oProj.forward(mx.reshape(byRow, 1, rows, -1));
  }

  #attention(q: mx.MxArray, k: mx.MxArray, v: mx.MxArray, mask: mx.Mask): mx.MxArray {
    const { attnLogitSoftcapping: cap } = this.sizes;
    if (cap === undefined) return mx.attention(q, k, v, this.#scale, mask);
    return cappedAttention(q, k, v, { scale: this.#scale, cap }, mask);
  }

  /** [1, L, heads · D] to [1, heads, L, D]. A single row needs no transposition. */
  #heads(x: mx.MxArray, heads: number, norm?: mx.MxArray): mx.MxArray {
    const { headDim, rmsNormEps } = this.sizes;
    const rows = x.shape[1] ?? 0;
    const split = rows === 1 ? mx.reshape(x, 1, heads, 1, headDim) : mx.reshape(x, 1, rows, heads, headDim);
    const normed = norm ? mx.rmsNorm(split, norm, rmsNormEps) : split;
    return rows === 1 ? normed : mx.transpose(normed, 0, 2, 1, 3);
  }
}

export interface MlpSizes {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  /** Whether the three projections add a bias; by default they do not. */
  readonly mlpBias?: boolean;
  /** What the gate goes through; silu where it is left out. */
  readonly activation?: Activation | undefined;
}

export type Activation = 'silu' | 'gelu';

const ACTIVATIONS: Readonly<Record<Activation, (x: mx.MxArray) => mx.MxArray>> = {
  silu: mx.silu,
  gelu: mx.gelu,
};

/** down(activation(gate(x)) · up(x)) */
export class GatedMlp {
  private constructor(
    readonly gateProj: Linear,
    readonly upProj: Linear,
    readonly downProj: Linear,
    private readonly activate: (x: mx.MxArray) => mx.MxArray,
  ) {}

  static load(weights: Weights, path: string, sizes: MlpSizes): GatedMlp {
    const { hiddenSize, intermediateSize, mlpBias: bias = false } = sizes;
    return new GatedMlp(
      weights.linear(`${path}.gate_proj`, intermediateSize, hiddenSize, { bias }),
      weights.linear(`${path}.up_proj`, intermediateSize, hiddenSize, { bias }),
      weights.linear(`${path}.down_proj`, hiddenSize, intermediateSize, { bias }),
      ACTIVATIONS[sizes.activation ?? 'silu'],
    );
  }

  linears(): Linear[] {
    return [this.gateProj, this.upProj, this.downProj];
  }

  forward(x: mx.MxArray): mx.MxArray {
    return this.downProj.forward(
      mx.multiply(this.activate(this.gateProj.forward(x)), this.upProj.forward(x)),
    );
  }
}
