// The input projections of a gated delta layer, in the two published layouts: four products, or two whose outputs are
// grouped by key head.
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

export interface DeltaSizes {
  readonly hiddenSize: number;
  readonly linearNumKeyHeads: number;
  /** A multiple of the key heads. */
  readonly linearNumValueHeads: number;
  readonly linearKeyHeadDim: number;
  readonly linearValueHeadDim: number;
  /** Rows that the convolution covers: the row itself and those directly before it. */
  readonly linearConvKernelDim: number;
  readonly rmsNormEps: number;
}

export interface Projected {
  /** Queries, keys and values of all heads, one after the other: [1, rows, channels]. */
  readonly qkv: mx.MxArray;
  /** Gates of the output: [1, rows, value heads · valueDim]. */
  readonly z: mx.MxArray;
  /** Inputs of the rates, [1, rows, value heads]. */
  readonly b: mx.MxArray;
  /** Inputs of the decays, [1, rows, value heads]. */
  readonly a: mx.MxArray;
}

/** Returns the number of channels of the convolution. */
export function channelsOf(sizes: DeltaSizes): number {
  const { linearNumKeyHeads, linearKeyHeadDim, linearNumValueHeads, linearValueHeadDim } = sizes;
  return 2 * linearNumKeyHeads * linearKeyHeadDim + linearNumValueHeads * linearValueHeadDim;
}

/** Projects [1, rows, hidden]. */
export type DeltaProjections = (x: mx.MxArray) => Projected;

/** Loads the projections of the layer at `path`. */
export type LoadProjections = (weights: Weights, path: string, sizes: DeltaSizes) => DeltaProjections;

/** Loads four separate products. */
export function loadSeparate(weights: Weights, path: string, sizes: DeltaSizes): DeltaProjections {
  const { hiddenSize, linearNumValueHeads: heads, linearValueHeadDim } = sizes;
  const qkv = weights.linear(`${path}.in_proj_qkv`, channelsOf(sizes), hiddenSize);
  const z = weights.linear(`${path}.in_proj_z`, heads * linearValueHeadDim, hiddenSize);
  const b = weights.linear(`${path}.in_proj_b`, heads, hiddenSize);
  const a = weights.linear(`${path}.in_proj_a`, heads, hiddenSize);
  return (x) => ({ qkv: qkv.forward(x), z: z.forward(x), b: b.forward(x), a: a.forward(x) });
}

/** Loads two products whose outputs are grouped by key head: query, key, and the values and gates that share them. */
export function loadGrouped(weights: Weights, path: string, sizes: DeltaSizes): DeltaProjections {
  const { hiddenSize, linearNumKeyHeads, linearNumValueHeads: heads } = sizes;
  const { linearKeyHeadDim, linearValueHeadDim } = sizes;
  const outputs = channelsOf(sizes) + heads * linearValueHeadDim;
  const qkvz = weights.linear(`${path}.in_proj_qkvz`, outputs, hiddenSize);
  const ba = weights.linear(`${path}.in_proj_ba`, 2 * heads, hiddenSize);
  const headsPerKey = heads / linearNumKeyHeads;
  const valueWidth = headsPerKey * linearValueHeadDim;
  return (x) => {
    const rows = x.shape[1] ?? 0;
    /** Takes `width` outputs of each group, from `from` on. */
    const part = (y: mx.MxArray, from: number, width: number): mx.MxArray =>
      mx.reshape(mx.slice(y, 3, from, from + width), 1, rows, -1);
    const grouped = mx.reshape(qkvz.forward(x), 1, rows, linearNumKeyHeads, -1);
    const gates = mx.reshape(ba.forward(x), 1, rows, linearNumKeyHeads, -1);
    const queries = part(grouped, 0, linearKeyHeadDim);
    const keys = part(grouped, linearKeyHeadDim, linearKeyHeadDim);
    const values = part(grouped, 2 * linearKeyHeadDim, valueWidth);
    return {
      qkv: mx.concatenate([queries, keys, values], 2),
      z: part(grouped, 2 * linearKeyHeadDim + valueWidth, valueWidth),
      b: part(gates, 0, headsPerKey),
      a: part(gates, headsPerKey, headsPerKey),
    };
  };
}
