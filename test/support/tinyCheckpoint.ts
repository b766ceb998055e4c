// Tiny Qwen3 targets and DFlash drafters with seeded random weights, and how to write them to a folder.
// All values are short fractions, which F32, F16 and BF16 files hold exactly alike.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floatTensor, tensorValues, type FileTensor, type FloatType } from './fileTensor';
import { writeSafetensors, type FileTensors } from './safetensorsFile';
import { seededIntegers } from './seededRandom';
import { temporaryFolder } from './temporaryFolder';

export interface Checkpoint {
  readonly config: Readonly<Record<string, unknown>>;
  readonly tensors: FileTensors;
}

/** Sizes whose projections have widths that every group size divides. */
const SIZES = {
  hidden_size: 128,
  intermediate_size: 256,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 32,
  vocab_size: 96,
};

const CONFIG = {
  ...SIZES,
  model_type: 'qwen3',
  hidden_act: 'silu',
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  attention_bias: false,
};

type Shapes = Record<string, readonly number[]>;

const SELECTOR_RANK = 128;

/** Creates a target; entries of `config` replace the default ones. */
export function tinyTarget(config: Readonly<Record<string, unknown>> = {}): Checkpoint {
  const fullConfig = {
    ...CONFIG,
    architectures: ['Qwen3ForCausalLM'],
    num_hidden_layers: 3,
    tie_word_embeddings: false,
    eos_token_id: 2,
    ...config,
  };
  const table = [fullConfig.vocab_size, SIZES.hidden_size];
  const shapes: Shapes = {
    'model.embed_tokens.weight': table,
    ...blocks('model.layers', fullConfig.num_hidden_layers, fullConfig.attention_bias),
    'model.norm.weight': [SIZES.hidden_size],
  };
  if (!fullConfig.tie_word_embeddings) shapes['lm_head.weight'] = table;
  return { config: fullConfig, tensors: randomTensors(shapes, 1) };
}

/** Creates a drafter for `tinyTarget`, whose layer 2 is the last and cannot be tapped. */
export function tinyDrafter(config: Readonly<Record<string, unknown>> = {}): Checkpoint {
  const fullConfig = {
    ...CONFIG,
    architectures: ['DFlashDraftModel'],
    num_hidden_layers: 2,
    num_target_layers: 3,
    block_size: 6,
    dflash_config: { mask_token_id: 90, target_layer_ids: [1, 0] },
    ...config,
  };
  const { hidden_size: hidden } = SIZES;
  const shapes: Shapes = {
    'fc.weight': [hidden, 2 * hidden],
    'hidden_norm.weight': [hidden],
    ...blocks('layers', fullConfig.num_hidden_layers, fullConfig.attention_bias),
    'norm.weight': [hidden],
  };
  return { config: fullConfig, tensors: randomTensors(shapes, 1000) };
}

/** Returns the drafter with a candidate selector of that many candidates. */
export function withSelector(checkpoint: Checkpoint, topK: number): Checkpoint {
  const { hidden_size: hidden } = SIZES;
  const vocabulary = Number(checkpoint.config['vocab_size']);
  return withAddition(checkpoint, { selector_rank: SELECTOR_RANK, selector_top_k: topK }, 2000, {
    'candidate_selector.predecessor_codebook': [vocabulary, SELECTOR_RANK],
    'candidate_selector.successor_codebook': [vocabulary, SELECTOR_RANK],
    'candidate_selector.hidden_projection.weight': [SELECTOR_RANK, hidden],
  });
}

/** Returns the drafter with convolutions of that many taps around the parts of its two layers. */
export function withConvolutions(checkpoint: Checkpoint, taps: number, groupSize: number): Checkpoint {
  const { hidden_size: hidden } = SIZES;
  const parts = [0, 1].flatMap((layer) => ['attention', 'mlp'].map((part) => `layers.${layer}.${part}_conv`));
  const shapes: Shapes = {};
  for (const part of parts) {
    shapes[`${part}.base_kernel`] = [2, taps, hidden];
    shapes[`${part}.kernel_projection.weight`] = [(2 * taps * hidden) / groupSize, hidden];
  }
  return withAddition(checkpoint, { conv_kernel_size: taps, conv_group_size: groupSize }, 3000, shapes);
}

function withAddition(
  { config, tensors }: Checkpoint,
  inner: Readonly<Record<string, number>>,
  seed: number,
  shapes: Shapes,
): Checkpoint {
  return {
    config: { ...config, dflash_config: { ...(config['dflash_config'] as object), ...inner } },
    tensors: { ...tensors, ...randomTensors(shapes, seed) },
  };
}

/** Returns the checkpoint with other config entries; undefined removes one. */
export function withConfig(checkpoint: Checkpoint, entries: Readonly<Record<string, unknown>>): Checkpoint {
  return { ...checkpoint, config: { ...checkpoint.config, ...entries } };
}

/** Returns the checkpoint with other tensors; undefined removes one. */
export function withTensors(
  checkpoint: Checkpoint,
  entries: Readonly<Record<string, FileTensors[string] | undefined>>,
): Checkpoint {
  const tensors = new Map(Object.entries(checkpoint.tensors));
  for (const [name, tensor] of Object.entries(entries)) {
    if (tensor === undefined) tensors.delete(name);
    else tensors.set(name, tensor);
  }
  return { ...checkpoint, tensors: Object.fromEntries(tensors) };
}

/** Returns the checkpoint with its values stored as `dtype`. */
export function storedAs({ config, tensors }: Checkpoint, dtype: FloatType): Checkpoint {
  const stored = Object.entries(tensors).map(([name, tensor]) => [
    name,
    floatTensor(tensor.shape, tensorValues(tensor), dtype),
  ]);
  return { config, tensors: Object.fromEntries(stored) as FileTensors };
}

/** Writes config.json and model.safetensors, or that many shards with their index. Returns the folder. */
export function writeCheckpoint({ config, tensors }: Checkpoint, shards = 1): string {
  const folder = temporaryFolder();
  writeJson(folder, 'config.json', config);
  const weightMap: Record<string, string> = {};
  for (let shard = 1; shard <= shards; shard++) {
    const name = shards === 1 ? 'model.safetensors' : `model-0000${shard}-of-0000${shards}.safetensors`;
    const part = Object.entries(tensors).filter((_, i) => i % shards === shard - 1);
    writeSafetensors(join(folder, name), Object.fromEntries(part));
    for (const [tensor] of part) weightMap[tensor] = name;
  }
  const index = { metadata: {}, weight_map: weightMap };
  if (shards > 1) writeJson(folder, 'model.safetensors.index.json', index);
  return folder;
}

export function writeJson(folder: string, name: string, value: unknown): void {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

function blocks(path: string, count: number, bias: boolean): Shapes {
  const { hidden_size: hidden, intermediate_size: wide, head_dim: dim } = SIZES;
  const [queries, keys] = [SIZES.num_attention_heads * dim, SIZES.num_key_value_heads * dim];
  const shapes: Shapes = {};
  for (let i = 0; i < count; i++) {
    const at = `${path}.${i}`;
    shapes[`${at}.input_layernorm.weight`] = [hidden];
    shapes[`${at}.post_attention_layernorm.weight`] = [hidden];
    shapes[`${at}.self_attn.q_norm.weight`] = [dim];
    shapes[`${at}.self_attn.k_norm.weight`] = [dim];
    for (const [name, rows, columns] of [
      ['self_attn.q_proj', queries, hidden],
      ['self_attn.k_proj', keys, hidden],
      ['self_attn.v_proj', keys, hidden],
      ['self_attn.o_proj', hidden, queries],
      ['mlp.gate_proj', wide, hidden],
      ['mlp.up_proj', wide, hidden],
      ['mlp.down_proj', hidden, wide],
    ] as const) {
      shapes[`${at}.${name}.weight`] = [rows, columns];
      if (bias && name.startsWith('self_attn')) shapes[`${at}.${name}.bias`] = [rows];
    }
  }
  return shapes;
}

const tensorCache = new Map<string, FileTensor>();

/** Creates random tensors: matrices of up to ±1/4, vectors (norms and biases) of 3/4 to 5/4. */
function randomTensors(shapes: Shapes, seed: number): FileTensors {
  const tensors = Object.entries(shapes).map(([name, shape], i) => [name, randomTensor(shape, seed + i)]);
  return Object.fromEntries(tensors) as FileTensors;
}

/** Creates a tensor once per shape and seed, since most tests begin with the same checkpoint. */
function randomTensor(shape: readonly number[], seed: number): FileTensor {
  const key = `${seed}: ${shape.join()}`;
  const cached = tensorCache.get(key);
  if (cached) return cached;
  const count = shape.reduce((product, n) => product * n, 1);
  const middle = shape.length === 1 ? 1 : 0;
  const values = seededIntegers(seed, count, -32, 32).map((k) => k / 128 + middle);
  const tensor = floatTensor(shape, values);
  tensorCache.set(key, tensor);
  return tensor;
}
