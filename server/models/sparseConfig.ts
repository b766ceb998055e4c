// The fields of config.json that say which layers have experts, how many, and how rows are sent to them.
// Knows no family: what an absent field means comes from it.
import { InputError } from '../inputError';
import type { ConfigFields } from './configFields';
import type { SparseSizes } from './sparseMlp';

export interface SparseConfig extends SparseSizes {
  /** Layers without experts, besides those that the step leaves out. */
  readonly mlpOnlyLayers: readonly number[];
  /** Every n-th layer has experts. */
  readonly decoderSparseStep: number;
}

export interface SparseDefaults {
  /** Where the file does not say. */
  readonly normTopkProb: boolean;
}

export function parseSparseConfig(fields: ConfigFields, { normTopkProb }: SparseDefaults): SparseConfig {
  // transformers 5 writes the second name for some families.
  const numExperts = fields.integer(fields.has('num_experts') ? 'num_experts' : 'num_local_experts');
  const numExpertsPerTok = fields.integer('num_experts_per_tok');
  if (numExpertsPerTok > numExperts) {
    throw new InputError({
      expected: `num_experts_per_tok of at most ${String(numExperts)}, the number of experts, in ${fields.source}`,
      got: String(numExpertsPerTok),
      remedy: 'correct the file or download it again',
    });
  }
  const shared = 'shared_expert_intermediate_size';
  return {
    hiddenSize: fields.integer('hidden_size'),
    moeIntermediateSize: fields.integer('moe_intermediate_size'),
    numExperts,
    numExpertsPerTok,
    normTopkProb: fields.has('norm_topk_prob') ? fields.boolean('norm_topk_prob') : normTopkProb,
    sharedExpertIntermediateSize: fields.has(shared) ? fields.integer(shared) : undefined,
    mlpOnlyLayers: fields.has('mlp_only_layers') ? fields.integers('mlp_only_layers') : [],
    decoderSparseStep: fields.has('decoder_sparse_step') ? fields.integer('decoder_sparse_step') : 1,
  };
}

/** Whether the layer of that index has experts. */
export function isSparse({ mlpOnlyLayers, decoderSparseStep }: SparseConfig, layer: number): boolean {
  return !mlpOnlyLayers.includes(layer) && (layer + 1) % decoderSparseStep === 0;
}
