// The experts of a layer: gated MLPs, of which each row visits a few; their outputs are mixed. Which ones a row visits
// is decided elsewhere, by a router.
import * as mx from '../mlx/ops';
import type { Experts } from './linear';
import type { Weights } from '../checkpoint/weights';
import { activation, type Activation } from './gatedMlp';

export interface ExpertSizes {
  readonly numExperts: number;
  readonly hiddenSize: number;
  readonly moeIntermediateSize: number;
  /** Experts that a row visits. */
  readonly numExpertsPerTok: number;
  /** Applied to the gate; silu by default. */
  readonly activation?: Activation | undefined;
}

export interface Routes {
  /** The experts of each row, [rows, k]. */
  readonly choices: mx.MxArray;
  /** The shares of their outputs, [rows, k]. */
  readonly shares: mx.MxArray;
}

/** Sends the rows of `x` [1, L, hidden] to their experts and mixes the outputs, to the same shape. */
export type MixExperts = (x: mx.MxArray, routes: Routes) => mx.MxArray;

/**
 * Visits from which on rows are sorted by expert. On a CPU that pays for 4 rows and 4 experts each
 * (docs/internals/results.md); for kernels of a GPU mlx-lm sorts from 64 on.
 */
const FEWEST_SORTED = { cpu: 2, gpu: 64 } as const;

/** Takes the tensors under `path`, or under `stacked`, where mlx-lm has them. */
export function loadExperts(weights: Weights, path: string, stacked: string, sizes: ExpertSizes): MixExperts {
  const { hiddenSize, numExpertsPerTok: k } = sizes;
  const fewestSorted = FEWEST_SORTED[weights.device.name];
  const throughExperts = loadProjections(weights, path, stacked, sizes);

  /** Each row [rows, hidden] through each of its experts: [rows · k, hidden], in the order of `choices` [rows · k]. */
  const visit = (rows: mx.MxArray, choices: mx.MxArray): mx.MxArray => {
    const [count = 0] = rows.shape;
    if (count === 1) {
      return throughExperts(mx.reshape(rows, 1, 1, hiddenSize), choices);
    }
    if (count * k < fewestSorted) {
      return throughExperts(mx.reshape(repeated(rows, k), -1, 1, hiddenSize), choices);
    }
    // Expert by expert: its weights are read once for all rows that visit it.
    const order = mx.ascending(choices);
    const visitors = mx.reshape(mx.take(rows, mx.divide(order, k)), -1, 1, hiddenSize);
    const outputs = throughExperts(visitors, mx.take(choices, order));
    return mx.take(outputs, mx.ascending(order));
  };

  return (x, { choices, shares }) => {
    const rows = mx.reshape(x, -1, hiddenSize);
    const outputs = mx.reshape(visit(rows, mx.reshape(choices, -1)), -1, k, hiddenSize);
    const each = mx.reshape(mx.astype(shares, rows.dtype), -1, 1, k);
    return mx.reshape(mx.matmul(each, outputs), ...x.shape);
  };
}

/** Each row [rows, hidden] `k` times: [rows, k, hidden]. */
function repeated(rows: mx.MxArray, k: number): mx.MxArray {
  const [count = 0, width = 0] = rows.shape;
  return mx.concatenate(Array<mx.MxArray>(k).fill(mx.reshape(rows, count, 1, width)), 1);
}

/** [pairs, 1, hidden], or one row for all pairs, through the experts `visited` [pairs], to [pairs, 1, hidden]. */
type ThroughExperts = (x: mx.MxArray, visited: mx.MxArray) => mx.MxArray;

/** Three layouts: stacked by mlx-lm, with gate and up in one tensor as newer transformers has it, or one by one. */
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
    (x, visited) => {
      const gated = mx.multiply(activate(gateProj.forward(x, visited)), upProj.forward(x, visited));
      return downProj.forward(gated, visited);
    };
  if (weights.has(`${path}.gate_up_proj`)) {
    const [gateProj, upProj] = weights.fusedExperts(`${path}.gate_up_proj`, wide);
    return through(gateProj, upProj, weights.experts(`${path}.down_proj`, narrow));
  }
  const isStacked = weights.has(`${stacked}.gate_proj.weight`);
  const own = (name: string, shape: typeof wide): Experts => {
    if (isStacked) return weights.experts(`${stacked}.${name}`, shape);
    const single = Array.from({ length: numExperts }, (_, i) => `${path}.${String(i)}.${name}`);
    return weights.stackedExperts(single, shape);
  };
  return through(own('gate_proj', wide), own('up_proj', wide), own('down_proj', narrow));
}
