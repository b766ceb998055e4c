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
  linears(): Linear[];
}

/** Channels of the convolution. */
export function channelsOf(sizes: DeltaSizes): number {
  const { linearNumKeyHeads, linearKeyHeadDim, linearNumValueHeads, linearValueHeadDim } = sizes;
  return 2 * linearNumKeyHeads * linearKeyHeadDim + linearNumValueHeads * linearValueHeadDim;
}

export function loadProjections(weights: Weights, path: string, sizes: DeltaSizes): DeltaProjections {
  const { hiddenSize, linearNumValueHeads: heads, linearValueHeadDim } = sizes;
  const values = heads * linearValueHeadDim;
  const linear = (name: string, out: number): Linear => weights.linear(`${path}.${name}`, out, hiddenSize);
  if (weights.has(`${path}.in_proj_qkvz.weight`)) {
    const qkvz = linear('in_proj_qkvz', channelsOf(sizes) + values);
    return new GroupedProjections(sizes, qkvz, linear('in_proj_ba', 2 * heads));
  }
  const qkv = linear('in_proj_qkv', channelsOf(sizes));
  const z = linear('in_proj_z', values);
  return new SeparateProjections(qkv, z, linear('in_proj_b', heads), linear('in_proj_a', heads));
}

class SeparateProjections implements DeltaProjections {
  constructor(
    readonly qkv: Linear,
    readonly z: Linear,
    readonly b: Linear,
    readonly a: Linear,
  ) {}

  forward(x: mx.MxArray): Projected {
    return {
      qkv: this.qkv.forward(x),
      z: this.z.forward(x),
      b: this.b.forward(x),
      a: this.a.forward(x),
    };
  }

  linears(): Linear[] {
    return [this.qkv, this.z, this.b, this.a];
  }
}

/** Each key head has its query, its key, and the values and gates of the value heads that share it. */
class GroupedProjections implements DeltaProjections {
  constructor(
    private readonly sizes: DeltaSizes,
    readonly qkvz: Linear,
    readonly ba: Linear,
  ) {}

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

  linears(): Linear[] {
    return [this.qkvz, this.ba];
  }
}
