// A dense Qwen3 checkpoint as a GGUF file for llama.cpp: its names, its settings and its vocabulary.
// Queries and keys stay as they are, because llama.cpp rotates those of Qwen3 in halves as the checkpoint does.
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { Checkpoint } from './checkpoint';
import { ggufValue, type GgufValue } from './ggufValue';
import { GGUF_ALIGNMENT, writeGguf, type GgufTensor, type GgufType } from './writeGguf';

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
/** llama.cpp's numbers for the types of weights, and for the kinds of tokens. */
const FILE_TYPES = { f32: 0, q8_0: 7 } as const;
const TOKEN_KINDS = { normal: 1, control: 3, unused: 5 } as const;

interface AddedToken {
  readonly id: number;
  readonly content: string;
}

/** Writes the checkpoint of `directory` to `file`; norms stay float32 in either type, as in llama.cpp. */
export function writeQwen3Gguf(directory: string, file: string, type: GgufType): void {
  const config = ConfigFields.read(join(directory, 'config.json'));
  const tokenizer = ConfigFields.read(join(directory, 'tokenizer.json'));
  const checkpoint = new Checkpoint(directory, config);
  writeGguf(file, {
    metadata: { ...settings(config, type), ...vocabulary(tokenizer, config) },
    tensors: [...tensorPaths(config)].map(([name, path]) => ggufTensor(checkpoint, name, path, type)),
  });
}

function ggufTensor(checkpoint: Checkpoint, name: string, path: string, type: GgufType): GgufTensor {
  const shape = checkpoint.shape(path);
  return {
    name: `${name}.weight`,
    shape,
    type: shape.length > 1 ? type : 'f32',
    values: () => checkpoint.values(path),
  };
}

/** llama.cpp's name of each tensor and the checkpoint's, both without ".weight". */
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
  const { u32, f32, text } = ggufValue;
  return {
    'general.architecture': text('qwen3'),
    'general.alignment': u32(GGUF_ALIGNMENT),
    'general.file_type': u32(FILE_TYPES[type]),
    'general.quantization_version': u32(2),
    'qwen3.context_length': u32(config.integer('max_position_embeddings')),
    'qwen3.embedding_length': u32(config.integer('hidden_size')),
    'qwen3.block_count': u32(config.integer('num_hidden_layers')),
    'qwen3.feed_forward_length': u32(config.integer('intermediate_size')),
    'qwen3.attention.head_count': u32(config.integer('num_attention_heads')),
    'qwen3.attention.head_count_kv': u32(config.integer('num_key_value_heads')),
    'qwen3.attention.key_length': u32(config.integer('head_dim')),
    'qwen3.attention.value_length': u32(config.integer('head_dim')),
    'qwen3.attention.layer_norm_rms_epsilon': f32(config.number('rms_norm_eps')),
    'qwen3.rope.freq_base': f32(config.number('rope_theta')),
  };
}

/** Prompts are given as token ids, but llama.cpp requires a vocabulary. */
function vocabulary(tokenizer: ConfigFields, config: ConfigFields): Record<string, GgufValue> {
  const { u32, i32s, flag, text, texts } = ggufValue;
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
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('qwen2'),
    'tokenizer.ggml.tokens': texts(tokens),
    'tokenizer.ggml.token_type': i32s(kinds),
    'tokenizer.ggml.merges': texts(merges),
    'tokenizer.ggml.add_bos_token': flag('no'),
    // Without it llama.cpp would take id 11 as the end of a text.
    ...(end === undefined ? {} : { 'tokenizer.ggml.eos_token_id': u32(end) }),
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
