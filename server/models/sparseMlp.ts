// A mixture of experts in place of one MLP: a router sends every row to its few best experts, whose outputs are
// mixed. The graph stays lazy: which experts those are is never read back. Knows no family.
import type { ConfigFields } from './configFields';
import type { FeedForward } from './decoderBlock';
import { gatedMlp } from './gatedMlp';
import { ascending, divide, largest, valuesAt, type Visits } from './gather';
import type { Experts } from './linear';
import * as mx from './ops';
import type { Weights } from './weights';

export interface SparseSizes {
  readonly numExperts: number;
  readonly hiddenSize: number;
  readonly moeIntermediateSize: number;
  /** Experts that a row visits. */
  readonly numExpertsPerTok: number;
  /**
   * Whether the shares of the visited experts are scaled to add up to 1; otherwise they are those among all experts.
   */
  readonly normTopkProb: boolean;
  /** Width of an additional expert that every row visits, if there is one. */
  readonly sharedExpertIntermediateSize: number | undefined;
}

export interface SparseConfig extends SparseSizes {
  /** Layers without experts, besides those that the step leaves out. */
  readonly mlpOnlyLayers: readonly number[];
  /** Every n-th layer has experts. */
  readonly decoderSparseStep: number;
}

/** The fields of config.json; `normTopkProb` is the family's default. */
export function parseSparseConfig(fields: ConfigFields, { normTopkProb = true } = {}): SparseConfig {
  // transformers 5 writes the second name for some families.
  const numExperts = fields.integer(fields.has('num_experts') ? 'num_experts' : 'num_local_experts');
  const numExpertsPerTok = fields.integer('num_experts_per_tok');
  if (numExpertsPerTok > numExperts) {
    const expected = `num_experts_per_tok of at most ${String(numExperts)}, the number of experts,`;
    throw fields.refusal(expected, String(numExpertsPerTok));
  }
  const shared = 'shared_expert_intermediate_size';
  return {
    hiddenSize: fields.integer('hidden_size'),
    moeIntermediateSize: fields.integer('moe_intermediate_size'),
    numExperts,
    numExpertsPerTok,
    normTopkProb: fields.boolean('norm_topk_prob', normTopkProb),
    sharedExpertIntermediateSize: fields.has(shared) ? fields.integer(shared) : undefined,
    mlpOnlyLayers: fields.has('mlp_only_layers') ? fields.integers('mlp_only_layers') : [],
    decoderSparseStep: fields.integer('decoder_sparse_step', { usual: 1 }),
  };
}

/** Whether the layer of that index has experts. */
export function isSparse({ mlpOnlyLayers, decoderSparseStep }: SparseConfig, layer: number): boolean {
  return !mlpOnlyLayers.includes(layer) && (layer + 1) % decoderSparseStep === 0;
}

/** Takes the tensors under `path`. */
export function sparseMlp(weights: Weights, path: string, sizes: SparseSizes): FeedForward {
  const { hiddenSize, numExperts, numExpertsPerTok: k, normTopkProb } = sizes;
  const gate = weights.linear(`${path}.gate`, numExperts, hiddenSize);
  const throughExperts = loadExperts(weights, path, sizes);
  const share = loadSharedExpert(weights, path, sizes);

  /** The experts of every row, [rows · k] with those of a row side by side, and their shares [rows, 1, k]. */
  const route = (rows: mx.MxArray) => {
    const logits = mx.astype(gate.forward(rows), mx.float32);
    const best = largest(logits, k);
    // A softmax over the best logits alone is the whole softmax with its best values scaled to a sum of 1.
    const shares = normTopkProb ? mx.softmax(valuesAt(logits, best)) : valuesAt(mx.softmax(logits), best);
    return {
      choices: mx.reshape(best, -1),
      shares: mx.reshape(mx.astype(shares, rows.dtype), -1, 1, k),
    };
  };

  /** Each row [rows, hidden] through each of its experts: [rows · k, hidden], in the order of `choices`. */
  const visit = (rows: mx.MxArray, choices: mx.MxArray): mx.MxArray => {
    if (rows.shape[0] === 1) {
      return throughExperts(mx.reshape(rows, 1, 1, hiddenSize), { experts: choices, sorted: false });
    }
    // Expert by expert: its weights are read once for all rows that visit it.
    const order = ascending(choices);
    const visitors = mx.reshape(mx.take(rows, divide(order, k)), -1, 1, hiddenSize);
    const outputs = throughExperts(visitors, { experts: mx.take(choices, order), sorted: true });
    return mx.take(outputs, ascending(order));
  };

  return {
    forward: (x) => {
      const rows = mx.reshape(x, -1, hiddenSize);
      const { choices, shares } = route(rows);
      const outputs = mx.reshape(visit(rows, choices), -1, k, hiddenSize);
      const mixed = mx.reshape(mx.matmul(shares, outputs), ...x.shape);
      return share ? mx.add(mixed, share(x)) : mixed;
    },
  };
}

/** The output of the expert that every row visits: [1, L, hidden] to the same shape. */
function loadSharedExpert(
  weights: Weights,
  path: string,
  { hiddenSize, sharedExpertIntermediateSize: intermediateSize }: SparseSizes,
): ((x: mx.MxArray) => mx.MxArray) | undefined {
  if (intermediateSize === undefined) return undefined;
  const mlp = gatedMlp(weights, `${path}.shared_expert`, { hiddenSize, intermediateSize });
  // One value per row, whose sigmoid is the expert's share.
  const gate = weights.linear(`${path}.shared_expert_gate`, 1, hiddenSize);
  return (x) => mx.multiply(mx.sigmoid(gate.forward(x)), mlp.forward(x));
}

/** [pairs, 1, hidden], or one row for all pairs, to [pairs, 1, hidden]. */
type ThroughExperts = (x: mx.MxArray, visits: Visits) => mx.MxArray;

/**
 * From the gate, up and down projections of all experts of the block at `path`: stacked under `switch_mlp` (mlx-lm),
 * stacked under `experts` with gate and up in one tensor (newer transformers), or one tensor for each expert.
 */
function loadExperts(weights: Weights, path: string, sizes: SparseSizes): ThroughExperts {
  const { numExperts, hiddenSize, moeIntermediateSize } = sizes;
  const wide = [numExperts, moeIntermediateSize, hiddenSize] as const;
  const narrow = [numExperts, hiddenSize, moeIntermediateSize] as const;
  const through =
    (gateProj: Experts, upProj: Experts, downProj: Experts): ThroughExperts =>
    (x, visits) => {
      const gated = mx.multiply(mx.silu(gateProj.forward(x, visits)), upProj.forward(x, visits));
      return downProj.forward(gated, visits);
    };
  if (weights.has(`${path}.experts.gate_up_proj`)) {
    const [gateProj, upProj] = weights.fusedExperts(`${path}.experts.gate_up_proj`, wide);
    return through(gateProj, upProj, weights.experts(`${path}.experts.down_proj`, narrow));
  }
  const stacked = weights.has(`${path}.switch_mlp.gate_proj.weight`);
  const own = (name: string, shape: typeof wide): Experts =>
    stacked
      ? weights.experts(`${path}.switch_mlp.${name}`, shape)
      : weights.stackedExperts(
          Array.from({ length: numExperts }, (_, i) => `${path}.experts.${String(i)}.${name}`),
          shape,
        );
  return through(own('gate_proj', wide), own('up_proj', wide), own('down_proj', narrow));
}
