// The gated MLP of Llama-shaped networks. Takes plain sizes, never a config object.
import type { Linear } from './linear';
import * as mx from './ops';
import type { Weights } from './weights';

export interface MlpSizes {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  /** Whether the three projections add a bias; by default they do not. */
  readonly mlpBias?: boolean;
  /** What the gate goes through; silu where it is left out. */
  readonly activation?: 'silu' | 'gelu' | undefined;
}

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
      sizes.activation === 'gelu' ? mx.gelu : mx.silu,
    );
  }

  forward(x: mx.MxArray): mx.MxArray {
    const gated = mx.multiply(this.activate(this.gateProj.forward(x)), this.upProj.forward(x));
    return this.downProj.forward(gated);
  }
}
