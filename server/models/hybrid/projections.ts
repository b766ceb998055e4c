// What a gated delta layer makes of its input, in the two layouts that are published: four products, or two whose
// outputs are grouped by key head.
import type { Linear } from '../linear';
import * as mx from '../ops';
import type { Weights } from '../weights';

export interface DeltaSizes {
  readonly hiddenSize: number;
  readonly linearNumKeyHeads: number;
  /** A multiple of the key heads. */
  readonly linearNumValueHeads: number;
  readonly linearKeyHeadDim: number;
  readonly linearValueHeadDim: number;
  readonly linearConvKernelDim: number;
  readonly rmsNormEps: number;
}

export interface Projected {
  /** Queries, keys and values of all heads, one after the other: [1, rows, channels]. */
  readonly qkv: mx.MxArray;
  /** Gates of the output: [1, rows, value heads · valueDim]. */
  readonly z: mx.MxArray;
  /** [1, rows, value heads] each. */
  readonly b: mx.MxArray;
  readonly a: mx.MxArray;
}

export interface DeltaProjections {
  /** [1, rows, hidden] */
  forward(x: mx.MxArray): Projected;
}

/** Channels of the convolution. */
export function channelsOf(sizes: DeltaSizes): number {
  const { linearNumKeyHeads, linearKeyHeadDim, linearNumValueHeads, linearValueHeadDim } = sizes;
  return 2 * linearNumKeyHeads * linearKeyHeadDim + linearNumValueHeads * linearValueHeadDim;
}

/** Takes the tensors under `path`. */
export type LoadProjections = (weights: Weights, path: string, sizes: DeltaSizes) => DeltaProjections;

export class SeparateProjections implements DeltaProjections {
  private constructor(
    readonly qkv: Linear,
    readonly z: Linear,
    readonly b: Linear,
    readonly a: Linear,
  ) {}

  static load(weights: Weights, path: string, sizes: DeltaSizes): SeparateProjections {
    const { hiddenSize, linearNumValueHeads: heads, linearValueHeadDim } = sizes;
    return new SeparateProjections(
      weights.linear(`${path}.in_proj_qkv`, channelsOf(sizes), hiddenSize),
      weights.linear(`${path}.in_proj_z`, heads * linearValueHeadDim, hiddenSize),
      weights.linear(`${path}.in_proj_b`, heads, hiddenSize),
      weights.linear(`${path}.in_proj_a`, heads, hiddenSize),
    );
  }

  forward(x: mx.MxArray): Projected {
    return {
      qkv: this.qkv.forward(x),
      z: this.z.forward(x),
      b: this.b.forward(x),
      a: this.a.forward(x),
    };
  }
}

/** Each key head has its query, its key, and the values and gates of the value heads that share it. */
export class GroupedProjections implements DeltaProjections {
  private constructor(
    private readonly sizes: DeltaSizes,
    readonly qkvz: Linear,
    readonly ba: Linear,
  ) {}

  static load(weights: Weights, path: string, sizes: DeltaSizes): GroupedProjections {
    const { hiddenSize, linearNumValueHeads: heads, linearValueHeadDim } = sizes;
    return new GroupedProjections(
      sizes,
      weights.linear(`${path}.in_proj_qkvz`, channelsOf(sizes) + heads * linearValueHeadDim, hiddenSize),
      weights.linear(`${path}.in_proj_ba`, 2 * heads, hiddenSize),
    );
  }

  forward(x: mx.MxArray): Projected {
    const rows = x.shape[1] ?? 0;
    const { linearNumKeyHeads, linearNumValueHeads, linearKeyHeadDim, linearValueHeadDim } = this.sizes;
    const sharing = linearNumValueHeads / linearNumKeyHeads;
    const groups = (y: mx.MxArray, widths: readonly number[]): mx.MxArray[] => {
      const grouped = mx.reshape(y, 1, rows, linearNumKeyHeads, -1);
      let from = 0;
      return widths.map((width) => {
        from += width;
        return mx.reshape(mx.slice(grouped, 3, from - width, from), 1, rows, -1);
      });
    };
    const wide = sharing * linearValueHeadDim;
    const parts = groups(this.qkvz.forward(x), [linearKeyHeadDim, linearKeyHeadDim, wide, wide]);
    const [b, a] = groups(this.ba.forward(x), [sharing, sharing]);
    const z = parts.pop();
    if (!(z && b && a)) throw new RangeError('Expected four parts and two, got fewer');
    return { qkv: mx.concatenate(parts, 2), z, b, a };
  }
}
