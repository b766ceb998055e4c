// A gated delta layer (Qwen3-Next, Qwen3.5): projections, a short convolution, the gated delta rule, a gated norm.
// Names equal the checkpoint's. Knows nothing about decoding.
import type { Linear } from '../linear';
import * as mx from '../ops';
import type { Weights } from '../weights';
import { advance, deltaBlock, type DeltaInputs, type DeltaPass } from './deltaRule';
import { channelsOf, loadProjections, type DeltaProjections, type DeltaSizes } from './projections';
import { RecurrentCache } from './recurrentCache';
import { shortConvolution } from './shortConvolution';
import { MAX_BLOCK, type BlockMasks } from './solveLower';

/** Of the sum of squares of a query or a key. */
const NORM_EPS = 1e-6;

/** Masks for a number of rows; all layers of a pass share them. */
export type MasksOf = (rows: number) => BlockMasks;

export class GatedDeltaNet {
  private constructor(
    private readonly sizes: DeltaSizes,
    private readonly dtype: mx.Dtype,
    readonly projections: DeltaProjections,
    /** [taps, channels] */
    readonly conv1d: mx.MxArray,
    /** -exp(A_log), float32: [Hk, R, 1, 1]. */
    readonly decay: mx.MxArray,
    /** float32: [Hk, R, 1, 1]. */
    readonly dtBias: mx.MxArray,
    /** [valueDim] */
    readonly norm: mx.MxArray,
    /** Makes keys and queries unit vectors: [keyDim]. */
    readonly unit: mx.MxArray,
    readonly outProj: Linear,
  ) {}

  static load(weights: Weights, path: string, sizes: DeltaSizes): GatedDeltaNet {
    const { hiddenSize, linearNumKeyHeads, linearNumValueHeads: heads, linearConvKernelDim: taps } = sizes;
    const { linearKeyHeadDim: keyDim, linearValueHeadDim: valueDim } = sizes;
    const byHead = (a: mx.MxArray): mx.MxArray => mx.reshape(a, linearNumKeyHeads, -1, 1, 1);
    const decay = weights.float32(`${path}.A_log`, [heads], (log) =>
      byHead(mx.multiply(mx.constant(-1, mx.float32), mx.exp(log))),
    );
    return new GatedDeltaNet(
      sizes,
      weights.dtype,
      loadProjections(weights, path, sizes),
      weights.shortKernel(`${path}.conv1d.weight`, taps, channelsOf(sizes)),
      decay,
      weights.float32(`${path}.dt_bias`, [heads], byHead),
      weights.vector(`${path}.norm.weight`, valueDim),
      weights.constant(Array<number>(keyDim).fill(keyDim ** -0.5)),
      weights.linear(`${path}.out_proj`, hiddenSize, heads * valueDim),
    );
  }

  newCache(): RecurrentCache {
    const { linearNumKeyHeads, linearNumValueHeads, linearKeyHeadDim, linearValueHeadDim } = this.sizes;
    return new RecurrentCache({
      keyHeads: linearNumKeyHeads,
      valueHeads: linearNumValueHeads,
      keyDim: linearKeyHeadDim,
      valueDim: linearValueHeadDim,
      channels: channelsOf(this.sizes),
      taps: this.sizes.linearConvKernelDim,
      dtype: this.dtype,
    });
  }

  linears(): Linear[] {
    return [...this.projections.linears(), this.outProj];
  }

  /** [1, rows, hidden] to the same shape, after what `cache` holds. */
  forward(x: mx.MxArray, masksOf: MasksOf, cache: RecurrentCache): mx.MxArray {
    const rows = x.shape[1] ?? 0;
    const kept = this.sizes.linearConvKernelDim - 1;
    const projected = this.projections.forward(x);
    let { memory, inputs } = cache.state();
    const window = mx.concatenate([inputs, projected.qkv], 1);
    const all = this.#inputs(mx.silu(shortConvolution(window, this.conv1d)), projected.b, projected.a);
  }
}
