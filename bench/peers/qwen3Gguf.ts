// Converts a dense Qwen3 checkpoint to a GGUF file for llama.cpp: names, settings and vocabulary. Queries and keys do
// not change, because llama.cpp rotates those of Qwen3 in halves, like the checkpoint.
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { expandedWeights } from './expandedWeights';
import { GGUF_ALIGNMENT, writeGguf, type GgufType, type GgufValue } from './gguf';

const LAYER_TENSORS = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k: 'self_attn.k_proj',
  attn_k_norm: 'self_attn.k_norm',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
} as const;
/** llama.cpp's numbers for types of weights and for kinds of tokens. */
const FILE_TYPES = { f32: 0, q8_0: 7 } as const;
const TOKEN_KINDS = { normal: 1, control: 3, unused: 5 } as const;

interface AddedToken {
  readonly id: number;
  readonly content: string;
}

/** Writes the checkpoint in `directory` to `file`. Norms stay float32 in both types, as in llama.cpp. */
export function writeQwen3Gguf(directory: string, file: string, type: GgufType): void {
  const config = ConfigFields.read(join(directory, 'config.json'));
  const tokenizer = ConfigFields.read(join(directory, 'tokenizer.json'));
  const weights = expandedWeights(directory, config);
  const tensors = [...tensorPaths(config)].map(([name, path]) => {
    const weight = weights(path);
    const isMatrix = weight.shape.length > 1;
    return { name: `${name}.weight`, type: isMatrix ? type : ('f32' as const), ...weight };
  });
  writeGguf(file, { metadata: { ...settings(config, type), ...vocabulary(tokenizer, config) }, tensors });
}

/** Maps llama.cpp's tensor names to those of the checkpoint, both without ".weight". */
function tensorPaths(config: ConfigFields): Map<string, string> {
  const paths = new Map([['token_embd', 'model.embed_tokens']]);
  for (let layer = 0; layer < config.integer('num_hidden_layers'); layer++)
    for (const [name, path] of Object.entries(LAYER_TENSORS))
      paths.set(`blk.${String(layer)}.${name}`, `model.layers.${String(layer)}.${path}`);
  paths.set('output_norm', 'model.norm');
  if (!config.boolean('tie_word_embeddings')) paths.set('output', 'lm_head');
  return paths;
}

function settings(config: ConfigFields, type: GgufType): Record<string, GgufValue> {
  return {
    'general.architecture': 'qwen3',
    'general.alignment': GGUF_ALIGNMENT,
    'general.file_type': FILE_TYPES[type],
    'general.quantization_version': 2,
    'qwen3.context_length': config.integer('max_position_embeddings'),
    'qwen3.embedding_length': config.integer('hidden_size'),
    'qwen3.block_count': config.integer('num_hidden_layers'),
    'qwen3.feed_forward_length': config.integer('intermediate_size'),
    'qwen3.attention.head_count': config.integer('num_attention_heads'),
    'qwen3.attention.head_count_kv': config.integer('num_key_value_heads'),
    'qwen3.attention.key_length': config.integer('head_dim'),
    'qwen3.attention.value_length': config.integer('head_dim'),
    'qwen3.attention.layer_norm_rms_epsilon': { f32: config.number('rms_norm_eps') },
    'qwen3.rope.freq_base': { f32: config.number('rope_theta') },
  };
}

/** Returns the vocabulary, which llama.cpp requires even for prompts of token ids. */
function vocabulary(tokenizer: ConfigFields, config: ConfigFields): Record<string, GgufValue> {
  const tokens = Array.from({ length: config.integer('vocab_size') }, (_, id) => `[unused ${String(id)}]`);
  const kinds = tokens.map((): number => TOKEN_KINDS.unused);
  const model = tokenizer.nested('model');
  const vocab = model.nested('vocab');
  for (const content of vocab.names()) {
    const id = vocab.integer(content, { min: 0 });
    tokens[id] = content;
    kinds[id] = TOKEN_KINDS.normal;
  }
  for (const { id, content } of list(tokenizer.raw('added_tokens')) as AddedToken[]) {
    tokens[id] = content;
    kinds[id] = TOKEN_KINDS.control;
  }
  const merges = list(model.raw('merges')).map((pair) => list(pair).join(' '));
  const [end] = config.integers('eos_token_id');
  return {
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'qwen2',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': kinds,
    'tokenizer.ggml.merges': merges,
    'tokenizer.ggml.add_bos_token': false,
    // Without it, llama.cpp would take id 11 as the end of a text.
    ...(end === undefined ? {} : { 'tokenizer.ggml.eos_token_id': end }),
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
