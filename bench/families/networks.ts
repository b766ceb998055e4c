// The tensors of three kinds of networks, in the sizes that are asked for: a dense one, a mixture of experts, and a
// hybrid with gated delta layers.
import type { CheckpointPlan } from './randomCheckpoint';

export interface NetworkSizes {
  readonly layers: number;
  readonly hidden: number;
  readonly vocabulary: number;
  readonly heads: number;
  readonly groups: number;
  readonly headDim: number;
  /** Of the MLPs, except those of a mixture. */
  readonly denseWidth: number;
  /** How many experts a mixture has, how many a row visits, and their width. */
  readonly experts: number;
  readonly visited: number;
  readonly expertWidth: number;
  /** Of gated delta layers; there are more heads of values than of keys. */
  readonly deltaKeys: number;
  readonly deltaValues: number;
  readonly deltaDim: number;
}

export const ATTENTION_EVERY = 4;
const TAPS = 4;

type Shapes = Record<string, readonly number[]>;

export function networksOf(
  sizes: NetworkSizes,
): Readonly<Record<'dense' | 'mixture' | 'hybrid', CheckpointPlan>> {
  const { experts, visited, expertWidth, deltaKeys, deltaValues, deltaDim } = sizes;
  const { attention, gatedAttention, gatedDelta, gatedMlp, mixture } = layerParts(sizes);
  const config = configOf(sizes);
  return {
    dense: {
      config: { ...config, model_type: 'qwen3' },
      shapes: decoder(sizes, (path) => [attention(path), gatedMlp(path)]),
    },
    mixture: {
      config: {
        ...config,
        model_type: 'qwen3_moe',
        num_experts: experts,
        num_experts_per_tok: visited,
        moe_intermediate_size: expertWidth,
        norm_topk_prob: true,
      },
      shapes: decoder(sizes, (path) => [attention(path), mixture(path)]),
    },
    hybrid: {
      config: {
        ...config,
        model_type: 'qwen3_5_text',
        full_attention_interval: ATTENTION_EVERY,
        linear_num_key_heads: deltaKeys,
        linear_num_value_heads: deltaValues,
        linear_key_head_dim: deltaDim,
        linear_value_head_dim: deltaDim,
        linear_conv_kernel_dim: TAPS,
      },
      shapes: decoder(sizes, (path, layer) => [
        (layer + 1) % ATTENTION_EVERY === 0 ? gatedAttention(path) : gatedDelta(path),
        gatedMlp(path),
      ]),
    },
  };
}

function configOf(sizes: NetworkSizes) {
  return {
    hidden_size: sizes.hidden,
    num_hidden_layers: sizes.layers,
    vocab_size: sizes.vocabulary,
    num_attention_heads: sizes.heads,
    num_key_value_heads: sizes.groups,
    head_dim: sizes.headDim,
    intermediate_size: sizes.denseWidth,
    max_position_embeddings: 4096,
    rms_norm_eps: 1e-6,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  };
}

/** Table, layers and final norm; `parts` are the tensors of a layer except its norms. */
function decoder(
  { layers, hidden, vocabulary }: NetworkSizes,
  parts: (path: string, layer: number) => readonly Shapes[],
): Shapes {
  const shapes: Shapes = { 'model.embed_tokens.weight': [vocabulary, hidden], 'model.norm.weight': [hidden] };
  for (let layer = 0; layer < layers; layer++) {
    const path = `model.layers.${String(layer)}`;
    shapes[`${path}.input_layernorm.weight`] = [hidden];
    shapes[`${path}.post_attention_layernorm.weight`] = [hidden];
    Object.assign(shapes, ...parts(path, layer));
  }
  return shapes;
}

/** Each takes the path of its layer. */
function layerParts(sizes: NetworkSizes) {
  const { hidden, heads, groups, headDim, denseWidth, experts, expertWidth } = sizes;
  const { deltaKeys, deltaValues, deltaDim } = sizes;
  const attention = (path: string): Shapes => ({
    [`${path}.self_attn.q_proj.weight`]: [heads * headDim, hidden],
    [`${path}.self_attn.k_proj.weight`]: [groups * headDim, hidden],
    [`${path}.self_attn.v_proj.weight`]: [groups * headDim, hidden],
    [`${path}.self_attn.o_proj.weight`]: [hidden, heads * headDim],
    [`${path}.self_attn.q_norm.weight`]: [headDim],
    [`${path}.self_attn.k_norm.weight`]: [headDim],
  });
  return {
    attention,

    /** Each query has a gate. */
    gatedAttention: (path: string): Shapes => ({
      ...attention(path),
      [`${path}.self_attn.q_proj.weight`]: [2 * heads * headDim, hidden],
    }),

    gatedDelta: (path: string): Shapes => {
      const [keys, values] = [deltaKeys * deltaDim, deltaValues * deltaDim];
      const own = `${path}.linear_attn`;
      return {
        [`${own}.in_proj_qkv.weight`]: [2 * keys + values, hidden],
        [`${own}.in_proj_z.weight`]: [values, hidden],
        [`${own}.in_proj_b.weight`]: [deltaValues, hidden],
        [`${own}.in_proj_a.weight`]: [deltaValues, hidden],
        [`${own}.out_proj.weight`]: [hidden, values],
        [`${own}.conv1d.weight`]: [2 * keys + values, TAPS, 1],
        [`${own}.A_log`]: [deltaValues],
        [`${own}.dt_bias`]: [deltaValues],
        [`${own}.norm.weight`]: [deltaDim],
      };
    },

    gatedMlp: (path: string): Shapes => ({
      [`${path}.mlp.gate_proj.weight`]: [denseWidth, hidden],
      [`${path}.mlp.up_proj.weight`]: [denseWidth, hidden],
      [`${path}.mlp.down_proj.weight`]: [hidden, denseWidth],
    }),

    mixture: (path: string): Shapes => ({
      [`${path}.mlp.gate.weight`]: [experts, hidden],
      [`${path}.mlp.switch_mlp.gate_proj.weight`]: [experts, expertWidth, hidden],
      [`${path}.mlp.switch_mlp.up_proj.weight`]: [experts, expertWidth, hidden],
      [`${path}.mlp.switch_mlp.down_proj.weight`]: [experts, hidden, expertWidth],
    }),
  };
}
