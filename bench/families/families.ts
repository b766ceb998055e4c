// The networks whose steps are timed, each compared with a dense one that reads as many weights per token.
// Sizes are small enough for a minute on a laptop, and large enough that weights do not stay in its caches.
import type { CheckpointPlan } from './randomCheckpoint';

export interface Family {
  readonly name: string;
  /** What it consists of, in a few words. */
  readonly size: string;
  readonly plan: CheckpointPlan;
}

const HIDDEN = 512;
const LAYERS = 8;
const VOCABULARY = 4096;
const [HEADS, GROUPS, HEAD_DIM] = [8, 4, 64];
const [EXPERTS, VISITED, EXPERT_WIDTH] = [32, 4, 256];
const DENSE_WIDTH = VISITED * EXPERT_WIDTH;
/** Heads of gated delta layers; there are more of values than of keys. */
const [DELTA_KEYS, DELTA_VALUES, DELTA_DIM, TAPS] = [4, 8, 64, 4];
const ATTENTION_EVERY = 4;

type Shapes = Record<string, readonly number[]>;

const CONFIG = {
  hidden_size: HIDDEN,
  num_hidden_layers: LAYERS,
  vocab_size: VOCABULARY,
  num_attention_heads: HEADS,
  num_key_value_heads: GROUPS,
  head_dim: HEAD_DIM,
  intermediate_size: DENSE_WIDTH,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
};

/** What all others are compared with. */
export const DENSE: Family = {
  name: 'dense',
  size: `${String(LAYERS)} layers of ${String(HIDDEN)}, MLPs of ${String(DENSE_WIDTH)}`,
  plan: {
    config: { ...CONFIG, model_type: 'qwen3' },
    shapes: decoder((path) => [attention(path), gatedMlp(`${path}.mlp`, DENSE_WIDTH)]),
  },
};

export const FAMILIES: readonly Family[] = [
  {
    name: 'experts',
    size: `${String(LAYERS)} layers of ${String(HIDDEN)}, ${String(VISITED)} of ${String(EXPERTS)} experts of ${String(EXPERT_WIDTH)}`,
    plan: {
      config: {
        ...CONFIG,
        model_type: 'qwen3_moe',
        num_experts: EXPERTS,
        num_experts_per_tok: VISITED,
        moe_intermediate_size: EXPERT_WIDTH,
        norm_topk_prob: true,
      },
      shapes: decoder((path) => [attention(path), experts(`${path}.mlp`)]),
    },
  },
  {
    name: 'hybrid',
    size: `${String(LAYERS)} layers of ${String(HIDDEN)}, MLPs of ${String(DENSE_WIDTH)}, attention in every ${String(ATTENTION_EVERY)}th, else ${String(DELTA_VALUES)} states of ${String(DELTA_DIM)} x ${String(DELTA_DIM)}`,
    plan: {
      config: {
        ...CONFIG,
        model_type: 'qwen3_5_text',
        full_attention_interval: ATTENTION_EVERY,
        linear_num_key_heads: DELTA_KEYS,
        linear_num_value_heads: DELTA_VALUES,
        linear_key_head_dim: DELTA_DIM,
        linear_value_head_dim: DELTA_DIM,
        linear_conv_kernel_dim: TAPS,
      },
      shapes: decoder((path, layer) => [
        (layer + 1) % ATTENTION_EVERY === 0 ? gatedAttention(path) : gatedDelta(`${path}.linear_attn`),
        gatedMlp(`${path}.mlp`, DENSE_WIDTH),
      ]),
    },
  },
];

/** Table, layers and final norm; `parts` are the tensors of a layer except its norms. */
function decoder(parts: (path: string, layer: number) => readonly Shapes[]): Shapes {
  const shapes: Shapes = { 'model.embed_tokens.weight': [VOCABULARY, HIDDEN], 'model.norm.weight': [HIDDEN] };
  for (let layer = 0; layer < LAYERS; layer++) {
    const path = `model.layers.${String(layer)}`;
    shapes[`${path}.input_layernorm.weight`] = [HIDDEN];
    shapes[`${path}.post_attention_layernorm.weight`] = [HIDDEN];
    Object.assign(shapes, ...parts(path, layer));
  }
  return shapes;
}

function attention(path: string): Shapes {
  return {
    [`${path}.self_attn.q_proj.weight`]: [HEADS * HEAD_DIM, HIDDEN],
    [`${path}.self_attn.k_proj.weight`]: [GROUPS * HEAD_DIM, HIDDEN],
    [`${path}.self_attn.v_proj.weight`]: [GROUPS * HEAD_DIM, HIDDEN],
    [`${path}.self_attn.o_proj.weight`]: [HIDDEN, HEADS * HEAD_DIM],
    [`${path}.self_attn.q_norm.weight`]: [HEAD_DIM],
    [`${path}.self_attn.k_norm.weight`]: [HEAD_DIM],
  };
}

/** Each query has a gate. */
function gatedAttention(path: string): Shapes {
  return { ...attention(path), [`${path}.self_attn.q_proj.weight`]: [2 * HEADS * HEAD_DIM, HIDDEN] };
}

function gatedDelta(path: string): Shapes {
  const [keys, values] = [DELTA_KEYS * DELTA_DIM, DELTA_VALUES * DELTA_DIM];
  return {
    [`${path}.in_proj_qkv.weight`]: [2 * keys + values, HIDDEN],
    [`${path}.in_proj_z.weight`]: [values, HIDDEN],
    [`${path}.in_proj_b.weight`]: [DELTA_VALUES, HIDDEN],
    [`${path}.in_proj_a.weight`]: [DELTA_VALUES, HIDDEN],
    [`${path}.out_proj.weight`]: [HIDDEN, values],
    [`${path}.conv1d.weight`]: [2 * keys + values, TAPS, 1],
    [`${path}.A_log`]: [DELTA_VALUES],
    [`${path}.dt_bias`]: [DELTA_VALUES],
    [`${path}.norm.weight`]: [DELTA_DIM],
  };
}

function gatedMlp(path: string, width: number): Shapes {
  return {
    [`${path}.gate_proj.weight`]: [width, HIDDEN],
    [`${path}.up_proj.weight`]: [width, HIDDEN],
    [`${path}.down_proj.weight`]: [HIDDEN, width],
  };
}

function experts(path: string): Shapes {
  return {
    [`${path}.gate.weight`]: [EXPERTS, HIDDEN],
    [`${path}.switch_mlp.gate_proj.weight`]: [EXPERTS, EXPERT_WIDTH, HIDDEN],
    [`${path}.switch_mlp.up_proj.weight`]: [EXPERTS, EXPERT_WIDTH, HIDDEN],
    [`${path}.switch_mlp.down_proj.weight`]: [EXPERTS, HIDDEN, EXPERT_WIDTH],
  };
}
