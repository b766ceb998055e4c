// The weights of many experts as one product, dense or affine-quantised, and the layouts in which checkpoints
// hold them. Knows nothing about how experts are chosen.
import type { Linear, Quantised } from './linear';
import * as mx from './ops';
import { gatherMatmul, gatherQuantisedMatmul, type Visits } from './gather';
import type { Weights } from './weights';

export interface Experts {
  readonly inFeatures: number;
  /** Row i of `x` [pairs, 1, in], or its only row [1, 1, in], through the expert it visits: [pairs, 1, out]. */
  forward(x: mx.MxArray, visits: Visits): mx.MxArray;
}

export class DenseExperts implements Experts {
  constructor(
    /** [count, in, out], a view of the stored [count, out, in]. */
    readonly weightT: mx.MxArray,
  ) {}

  get inFeatures(): number {
    return this.weightT.shape[1] ?? 0;
  }

  forward(x: mx.MxArray, visits: Visits): mx.MxArray {
    return gatherMatmul(x, this.weightT, visits);
  }
}

export class QuantisedExperts implements Experts {
  constructor(readonly weights: Quantised) {}

  get inFeatures(): number {
    const { scales, groupSize } = this.weights;
    return (scales.shape[2] ?? 0) * groupSize;
  }

  forward(x: mx.MxArray, visits: Visits): mx.MxArray {
    const { weight, scales, biases, groupSize, bits } = this.weights;
    return gatherQuantisedMatmul(x, weight, scales, biases, groupSize, bits, visits);
  }
}

/** What a row costs at least: the product with the first `visited` experts. */
export class VisitedExperts implements Linear {
  constructor(
    private readonly experts: Experts,
    private readonly visited: number,
  ) {}

  get inFeatures(): number {
    return this.experts.inFeatures;
  }

  /** [..., in] to [rows, visited, 1, out]. */
  forward(x: mx.MxArray): mx.MxArray {
    const experts = mx.arange(0, this.visited);
    return this.experts.forward(mx.reshape(x, -1, 1, 1, this.inFeatures), { experts, sorted: true });
  }
}

export interface ExpertSizes {
  readonly numExperts: number;
  readonly hiddenSize: number;
  readonly moeIntermediateSize: number;
}

export interface GatedExperts {
  readonly gateProj: Experts;
  readonly upProj: Experts;
  readonly downProj: Experts;
}

/**
 * The gate, up and down projections of all experts of the block at `path`: stacked under `switch_mlp` (mlx-lm),
 * stacked under `experts` with gate and up in one tensor (newer transformers), or one tensor for each expert.
 */
export function loadExperts(weights: Weights, path: string, sizes: ExpertSizes): GatedExperts {
  const { numExperts, hiddenSize, moeIntermediateSize } = sizes;
  const wide = [numExperts, moeIntermediateSize, hiddenSize] as const;
  const narrow = [numExperts, hiddenSize, moeIntermediateSize] as const;
  if (weights.has(`${path}.switch_mlp.gate_proj.weight`)) {
    return {
      gateProj: weights.experts(`${path}.switch_mlp.gate_proj`, wide),
      upProj: weights.experts(`${path}.switch_mlp.up_proj`, wide),
      downProj: weights.experts(`${path}.switch_mlp.down_proj`, narrow),
    };
  }
  if (weights.has(`${path}.experts.gate_up_proj`)) {
    const [gateProj, upProj] = weights.fusedExperts(`${path}.experts.gate_up_proj`, wide);
    return { gateProj, upProj, downProj: weights.experts(`${path}.experts.down_proj`, narrow) };
  }
  const single = (name: string) =>
    Array.from({ length: numExperts }, (_, i) => `${path}.experts.${String(i)}.${name}`);
  return {
    gateProj: weights.stackedExperts(single('gate_proj'), wide),
    upProj: weights.stackedExperts(single('up_proj'), wide),
    downProj: weights.stackedExperts(single('down_proj'), narrow),
  };
}
