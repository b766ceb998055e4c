// A mixture of experts in place of an MLP: a router sends every row to its few best experts, whose outputs are mixed.
// The graph stays lazy: the chosen experts are never read back.
import type { ConfigFields } from '../checkpoint/configFields';
import { expertsField } from '../checkpoint/expertsField';
import type { FeedForward } from './decoderBlock';
import { loadExperts, type ExpertSizes } from './experts';
import { gatedMlp } from './gatedMlp';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

export interface SparseConfig extends ExpertSizes {
  /**
   * Whether the shares of the chosen experts are scaled to add up to 1; otherwise they are shares among all experts.
   */
  readonly normTopkProb: boolean;
  /** Width of the shared expert, through which every row runs; undefined without one. */
  readonly sharedExpertIntermediateSize?: number | undefined;
  /** Indices of layers without experts, besides those that the step skips. */
  readonly mlpOnlyLayers: readonly number[];
  /** Distance between layers with experts. */
  readonly decoderSparseStep: number;
}

/**
 * Parses the fields of a mixture; undefined for a dense model. `normTopkProb` is the family's default. Throws
 * UserError.
 */
export function parseSparseConfig(
  fields: ConfigFields,
  { normTopkProb = true } = {},
): SparseConfig | undefined {
  const countField = expertsField(fields);
  if (countField === undefined) return undefined;
  const numExperts = fields.integer(countField);
  const numExpertsPerTok = fields.integer('num_experts_per_tok');
  if (numExpertsPerTok > numExperts) {
    const expected = `num_experts_per_tok of at most ${String(numExperts)}, the number of experts,`;
    throw fields.refusal(expected, String(numExpertsPerTok));
  }
  return {
    hiddenSize: fields.integer('hidden_size'),
    moeIntermediateSize: fields.integer('moe_intermediate_size'),
    numExperts,
    numExpertsPerTok,
    normTopkProb: fields.boolean('norm_topk_prob', normTopkProb),
    mlpOnlyLayers: fields.has('mlp_only_layers') ? fields.integers('mlp_only_layers') : [],
    decoderSparseStep: fields.integer('decoder_sparse_step', { fallback: 1 }),
  };
}

/** Returns whether the layer of that index has experts. */
export function isSparse({ mlpOnlyLayers, decoderSparseStep }: SparseConfig, layer: number): boolean {
  return !mlpOnlyLayers.includes(layer) && (layer + 1) % decoderSparseStep === 0;
}

/** Loads the router and the experts at `path`. */
export function sparseMlp(weights: Weights, path: string, sizes: SparseConfig): FeedForward {
  const { hiddenSize, numExperts, numExpertsPerTok: k, normTopkProb } = sizes;
  const gate = weights.linear(`${path}.gate`, numExperts, hiddenSize);
  const mix = loadExperts(weights, `${path}.experts`, `${path}.switch_mlp`, sizes);
  const sharedExpert = loadSharedExpert(weights, path, sizes);
  return (x) => {
    const logits = mx.astype(gate.forward(mx.reshape(x, -1, hiddenSize)), mx.float32);
    const choices = mx.largestIndices(logits, k);
    // A softmax over the best logits alone equals the whole softmax with its best values scaled to a sum of 1.
    const shares = normTopkProb
      ? mx.softmax(mx.takeAlongAxis(logits, choices))
      : mx.takeAlongAxis(mx.softmax(logits), choices);
    const mixed = mix(x, { choices, shares });
    return sharedExpert ? mx.add(mixed, sharedExpert(x)) : mixed;
  };
}

/** Loads the shared expert, through which every row runs. */
function loadSharedExpert(
  weights: Weights,
  path: string,
  { hiddenSize, sharedExpertIntermediateSize: intermediateSize }: SparseConfig,
): FeedForward | undefined {
  if (intermediateSize === undefined) return undefined;
  const mlp = gatedMlp(weights, `${path}.shared_expert`, { hiddenSize, intermediateSize });
  // One value per row, whose sigmoid is the expert's share.
  const gate = weights.linear(`${path}.shared_expert_gate`, 1, hiddenSize);
  return (x) => mx.multiply(mx.sigmoid(gate.forward(x)), mlp(x));
}
