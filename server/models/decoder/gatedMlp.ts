// The gated MLP of Llama-shaped networks.
import type { FeedForward } from './decoderBlock';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

export type Activation = 'silu' | 'gelu';

export interface MlpSizes {
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  /** Whether the three projections add a bias; false by default. */
  readonly mlpBias?: boolean;
  /** Activation of the gate; silu by default. */
  readonly activation?: Activation | undefined;
}

/** Loads the MLP at `path`: down(activation(gate(x)) · up(x)). */
export function gatedMlp(weights: Weights, path: string, sizes: MlpSizes): FeedForward {
  const { hiddenSize, intermediateSize, mlpBias: bias = false } = sizes;
  const gate = weights.linear(`${path}.gate_proj`, intermediateSize, hiddenSize, { bias });
  const up = weights.linear(`${path}.up_proj`, intermediateSize, hiddenSize, { bias });
  const down = weights.linear(`${path}.down_proj`, hiddenSize, intermediateSize, { bias });
  const activate = activation(sizes.activation);
  return (x) => down.forward(mx.multiply(activate(gate.forward(x)), up.forward(x)));
}

/** Returns the activation function of that name. */
export function activation(name: Activation = 'silu'): (x: mx.MxArray) => mx.MxArray {
  return name === 'gelu' ? mx.gelu : mx.silu;
}
