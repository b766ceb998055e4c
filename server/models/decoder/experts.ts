// The experts of a layer: gated MLPs. Each row runs through a few of them, which the caller's router chooses, and their
// outputs are mixed.
import * as mx from '../mlx/ops';
import type { Experts } from '../mlx/linear';
import type { Weights } from '../checkpoint/weights';
import { activation, type Activation } from './gatedMlp';

export interface ExpertSizes {
  readonly numExperts: number;
  readonly hiddenSize: number;
  readonly moeIntermediateSize: number;
  /** Number of experts per row. */
  readonly numExpertsPerTok: number;
  /** Activation of the gate; silu by default. */
  readonly activation?: Activation | undefined;
}

export interface Routes {
  /** Indices of the experts of each row, [rows, k]. */
  readonly choices: mx.MxArray;
  /** Weights of their outputs, [rows, k]. */
  readonly shares: mx.MxArray;
}

/** Sends the rows of `x` [1, L, hidden] to their experts and mixes the outputs to the same shape. */
export type MixExperts = (x: mx.MxArray, routes: Routes) => mx.MxArray;

/**
 * Minimum number of pairs of a row and an expert that are sorted by expert. On a CPU sorting pays even for few pairs
 * (docs/internals/results.md); for the kernels of a GPU, mlx-lm sorts from 64 on.
 */
const MIN_SORTED = { cpu: 2, gpu: 64 } as const;

/** Loads the experts at `path`, or at `stacked`, where mlx-lm puts them. */
export function loadExperts(weights: Weights, path: string, stacked: string, sizes: ExpertSizes): MixExperts {
  const { hiddenSize, numExpertsPerTok: k } = sizes;
  const minSorted = MIN_SORTED[weights.device.name];
  const throughExperts = loadProjections(weights, path, stacked, sizes);

  /** Runs each row [rows, hidden] through its experts: [rows · k, 1, hidden], in the order of `choices` [rows · k]. */
  const runExperts = (rows: mx.MxArray, choices: mx.MxArray): mx.MxArray => {
    const [count = 0] = rows.shape;
    if (count === 1) {
      return throughExperts(mx.reshape(rows, 1, 1, hiddenSize), choices);
    }
    if (count * k < minSorted) {
      return throughExperts(mx.reshape(repeated(rows, k), -1, 1, hiddenSize), choices);
    }
    // Sorted by expert, so that the weights of an expert are read once for all of its rows.
    const order = mx.argsort(choices);
    const sortedRows = mx.reshape(mx.take(rows, mx.floorDivide(order, k)), -1, 1, hiddenSize);
    const outputs = throughExperts(sortedRows, mx.take(choices, order));
    return mx.take(outputs, mx.argsort(order));
  };

  return (x, { choices, shares }) => {
    const rows = mx.reshape(x, -1, hiddenSize);
    const outputs = mx.reshape(runExperts(rows, mx.reshape(choices, -1)), -1, k, hiddenSize);
    const factors = mx.reshape(mx.astype(shares, rows.dtype), -1, 1, k);
    return mx.reshape(mx.matmul(factors, outputs), ...x.shape);
  };
}

/** Repeats each row of [rows, hidden] `k` times: [rows, k, hidden]. */
function repeated(rows: mx.MxArray, k: number): mx.MxArray {
  const [count = 0, width = 0] = rows.shape;
  return mx.concatenate(Array<mx.MxArray>(k).fill(mx.reshape(rows, count, 1, width)), 1);
}

/** Runs [pairs, 1, hidden], or one row for all pairs, through the experts `indices` [pairs]: [pairs, 1, hidden]. */
type ThroughExperts = (x: mx.MxArray, indices: mx.MxArray) => mx.MxArray;

/**
 * Loads one of three layouts: stacked by mlx-lm, gate and up fused as in newer transformers, or one tensor per expert.
 */
function loadProjections(
  weights: Weights,
  path: string,
  stacked: string,
  sizes: ExpertSizes,
): ThroughExperts {
  const { numExperts, hiddenSize, moeIntermediateSize } = sizes;
  const wide = [numExperts, moeIntermediateSize, hiddenSize] as const;
  const narrow = [numExperts, hiddenSize, moeIntermediateSize] as const;
  const activate = activation(sizes.activation);
  const through =
    (gateProj: Experts, upProj: Experts, downProj: Experts): ThroughExperts =>
    (x, indices) => {
      const gated = mx.multiply(activate(gateProj.forward(x, indices)), upProj.forward(x, indices));
      return downProj.forward(gated, indices);
    };
  if (weights.has(`${path}.gate_up_proj`)) {
    const [gateProj, upProj] = weights.fusedExperts(`${path}.gate_up_proj`, wide);
    return through(gateProj, upProj, weights.experts(`${path}.down_proj`, narrow));
  }
  const isStacked = weights.has(`${stacked}.gate_proj.weight`);
  const projection = (name: string, shape: typeof wide): Experts => {
    if (isStacked) return weights.experts(`${stacked}.${name}`, shape);
    const single = Array.from({ length: numExperts }, (_, i) => `${path}.${String(i)}.${name}`);
    return weights.stackedExperts(single, shape);
  };
  return through(projection('gate_proj', wide), projection('up_proj', wide), projection('down_proj', narrow));
}
