// Tests the reasons to reject a checkpoint of each family: fields of config.json before any weight is read, and tensors
// that do not fit. Each family rejects what it does not compute; common fields are tested with Qwen3.
import { join } from 'node:path';
import { loadTarget } from '../../support/loadModels';
import { inExpertLayout, type ExpertLayout } from '../../support/expertLayout';
import { testDevice, packedDevice } from '../../support/testDevice';
import { floatTensor } from '../../support/fileTensor';
import {
  GEMMA,
  GEMMA2,
  GEMMA3,
  GEMMA4,
  GEMMA4_E,
  GEMMA4_MOE,
  LLAMA,
  MELLUM,
  MISTRAL,
  QWEN2,
  QWEN3,
  QWEN3_5,
  QWEN3_MOE,
  QWEN3_NEXT,
  readCheckpoint,
} from '../../support/fixtures';
import type { Entries } from '../../support/parseFixture';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

/** A row without mentions expects the name of its first field in the error. */
type Row = readonly [entries: Entries, ...mentions: string[]];

const rowsOf = (field: string, values: readonly unknown[]): Row[] =>
  values.map((value) => [{ [field]: value }]);

const INTEGERS = [
  'hidden_size',
  'num_hidden_layers',
  'intermediate_size',
  'num_attention_heads',
  'vocab_size',
  'num_key_value_heads',
  'max_position_embeddings',
];
const WINDOWS = ['full', 'sliding', 'sliding', 'full'].map((kind) => `${kind}_attention`);
const PATTERN = ['sliding', 'sliding', 'full', 'sliding', 'sliding'].map((kind) => `${kind}_attention`);
const AS_PUBLISHED = { per_layer_config: null, global_head_dim: 32, num_global_key_value_heads: 1 };
const EXPERTS = { enable_moe_block: true, num_experts: 4, top_k_experts: 2, moe_intermediate_size: 8 };
/** Overrides both full-attention layers of Gemma 4. */
const fullLayers = (entry: unknown) => ({ per_layer_config: { '2': entry, '5': entry } });

const HYBRID: readonly Row[] = [
  [{ layer_types: Array(4).fill('sliding_attention') }, 'sliding_attention'],
  [{ layer_types: ['full_attention'] }, '4 layer_types'],
  [{ linear_num_value_heads: 3 }],
  [{ attn_output_gate: false }, 'attn_output_gate true'],
  [{ output_gate_type: 'sigmoid' }, 'output_gate_type', 'got "sigmoid"'],
  [{ linear_conv_kernel_dim: 1 }],
  [{ linear_conv_kernel_dim: 65 }],
  [{ linear_key_head_dim: 1025 }],
  [{ linear_value_head_dim: 1025 }],
];

const REFUSED: Readonly<Record<string, readonly Row[]>> = {
  [QWEN3]: [
    ...INTEGERS.map((field): Row => [{ [field]: '64' }]),
    ...INTEGERS.slice(0, 5).map((field): Row => [{ [field]: null }]),
    ...rowsOf('hidden_size', [undefined, 1.5, 0, 2 ** 40]),
    [{ num_hidden_layers: 1025 }],
    [{ vocab_size: 2 ** 24 + 1 }],
    [{ num_attention_heads: 3 }, 'multiple of num_key_value_heads'],
    [{ head_dim: 1026 }, 'even head_dim of at most 1024'],
    [{ head_dim: 33 }, 'even head_dim'],
    [{ head_dim: '32' }],
    ...rowsOf('rms_norm_eps', ['1e-6', 0, -1, true]),
    ...rowsOf('attention_bias', ['true', 1]),
    ...rowsOf('tie_word_embeddings', ['true', 0]),
    ...rowsOf('eos_token_id', ['</s>', -1, 1.5, [2, 'x'], {}]),
    [{ hidden_act: 'gelu' }, 'hidden_act "silu"'],
    [{ use_sliding_window: true }, 'use_sliding_window false'],
    ...['1e6', 0].map((rope_theta): Row => [{ rope_parameters: { rope_theta } }, 'rope_theta']),
    ...rowsOf('rope_scaling', ['yarn', { rope_type: 'longrope', factor: 2 }]),
    [{ rope_parameters: [1] }],
  ],
  [QWEN2]: [
    [{ head_dim: null, hidden_size: 60 }, 'even head_dim', 'got 15'],
    [{ head_dim: null, hidden_size: 66 }, 'even head_dim', 'got 16.5'],
    [{ use_sliding_window: true }],
    [{ layer_types: WINDOWS }],
    [{ rope_parameters: { rope_type: 'mrope', rope_theta: 1e6 } }],
  ],
  [LLAMA]: [[{ mlp_bias: 'yes' }], [{ hidden_act: 'gelu' }]],
  [MISTRAL]: [[{ sliding_window: '4096' }], [{ layer_types: WINDOWS }]],
  [GEMMA]: [
    [{ hidden_act: 'silu' }],
    [{ hidden_activation: 'gelu_new' }],
    [{ use_bidirectional_attention: true }],
  ],
  [GEMMA2]: [
    [{ query_pre_attn_scalar: 0 }],
    [{ sliding_window: -1 }],
    [{ attn_logit_softcapping: -1 }],
    [{ final_logit_softcapping: '30' }],
    [{ layer_types: Array(4).fill('chunked_attention') }],
  ],
  [GEMMA3]: [
    [{ hidden_activation: 'relu' }],
    [{ attn_logit_softcapping: 50 }],
    [{ final_logit_softcapping: 30 }],
    [{ sliding_window: 0 }],
    [{ _sliding_window_pattern: -1, layer_types: undefined }],
    [{ layer_types: 'full_attention' }],
    [{ text_config: 'gemma3_text' }],
  ],
  [GEMMA4]: [
    ...['num_experts', 'top_k_experts', 'moe_intermediate_size'].map((name): Row => [
      { ...EXPERTS, [name]: null },
      name,
    ]),
    [{ ...EXPERTS, top_k_experts: 5 }, 'top_k_experts', 'from 1 to 4', 'got 5'],
    [{ enable_moe_block: 'yes' }],
    [{ hidden_activation: 'gelu' }],
    [{ attn_logit_softcapping: 50 }],
    [{ final_logit_softcapping: -1 }],
    [{ use_bidirectional_attention: 'all' }, 'use_bidirectional_attention', 'got "all"'],
    [{ attention_k_eq_v: 1 }],
    [{ sliding_window: 0 }],
    [{ layer_types: [...PATTERN, 'sliding_attention'] }, 'full_attention as the last of layer_types'],
    [{ ...AS_PUBLISHED, global_head_dim: 33 }, 'global_head_dim', 'got 33'],
    [{ ...AS_PUBLISHED, num_global_key_value_heads: 3 }, 'num_attention_heads', 'got 4 and 3'],
    [fullLayers({ head_dim: 33 }), 'per_layer_config', 'head_dim', 'got 33'],
    [fullLayers({ num_key_value_heads: 0 }), 'per_layer_config: 2: num_key_value_heads'],
    [fullLayers({ num_key_value_heads: 3 }), 'num_attention_heads', 'got 4 and 3'],
    [fullLayers({ head_dim: 32, intermediate_size: 9 }), 'per_layer_config: 2', 'got intermediate_size'],
    [fullLayers(32), 'per_layer_config: 2'],
    [{ per_layer_config: { '2': { head_dim: 32 } } }, 'the same heads in all layers', 'layer 5'],
    [{ per_layer_config: { '0': { head_dim: 32 } } }, 'the same heads in all layers', 'layer 0'],
    [{ per_layer_config: { '6': {} } }, 'per_layer_config', 'got 6'],
    [{ per_layer_config: [] }],
    [{ rope_parameters: { rope_theta: 1e4 } }, 'rope_parameters: sliding_attention'],
    [{ rope_parameters: { sliding_attention: {} } }, 'rope_parameters: full_attention'],
    [{ num_kv_shared_layers: 6 }],
    [{ num_kv_shared_layers: 4 }, 'num_kv_shared_layers', 'full_attention', 'got 4'],
    [{ use_double_wide_mlp: 2 }],
    [{ hidden_size_per_layer_input: -8 }],
    [{ hidden_size_per_layer_input: 8, vocab_size_per_layer_input: 255 }, 'vocab_size_per_layer_input'],
  ],
  [QWEN3_MOE]: [
    [{ num_local_experts: -1 }],
    [{ num_experts_per_tok: 9 }, 'num_experts_per_tok of at most 8'],
    [{ moe_intermediate_size: undefined }],
    [{ norm_topk_prob: 1 }],
    [{ mlp_only_layers: [-1] }],
    [{ decoder_sparse_step: 0 }],
  ],
  [QWEN3_5]: HYBRID,
  [QWEN3_NEXT]: HYBRID,
  [MELLUM]: rowsOf('mlp_layer_types', [['sparse'], WINDOWS, 'sparse', [3]]),
};

const ones = (shape: readonly number[]) =>
  floatTensor(shape, Array<number>(shape.reduce((product, n) => product * n, 1)).fill(1));

type Change = (checkpoint: Checkpoint) => Checkpoint;
const configured =
  (entries: Entries): Change =>
  (checkpoint) =>
    withConfig(checkpoint, entries);
/** Adds or replaces a tensor; removes it without a shape. */
const changed =
  (name: string, shape?: readonly number[], layout: ExpertLayout = 'single'): Change =>
  (checkpoint) =>
    withTensors(inExpertLayout(checkpoint, layout), { [name]: shape && ones(shape) });

const [LAYER, MLP] = ['model.layers.2', 'model.layers.0.mlp'];

/** Changes after which the tensors of a fixture no longer fit its config. */
const UNFIT: readonly (readonly [directory: string, change: Change, ...mentions: string[]])[] = [
  // Layer 2 uses keys as values; a tensor of values would be ignored silently.
  [GEMMA4, changed(`${LAYER}.self_attn.v_proj.weight`, [32, 64]), `${LAYER}.self_attn.v_proj`],
  [GEMMA4, configured({ attention_k_eq_v: false }), `tensor ${LAYER}.self_attn.v_proj.weight [32, 64]`],
  [GEMMA4, configured({ hidden_size_per_layer_input: 8 }), 'embed_tokens_per_layer.weight [256, 48]'],
  [GEMMA4, configured(EXPERTS), 'post_feedforward_layernorm_1.weight [64]'],
  [GEMMA4_E, configured({ num_kv_shared_layers: 1 }), 'layers.4.self_attn.k_proj.weight', 'no such tensor'],
  [GEMMA4_E, configured({ use_double_wide_mlp: false }), 'mlp.gate_proj.weight [128, 64]'],
  [GEMMA4_E, configured({ hidden_size_per_layer_input: 0 }), 'unexpected tensor model.'],
  [GEMMA4_MOE, configured({ enable_moe_block: false }), 'unexpected tensor model.layers.0.'],
  [GEMMA4_MOE, configured({ num_experts: 9 }), 'model.layers.0.router.proj.weight [9, 64]'],
  [GEMMA4_MOE, configured({ moe_intermediate_size: 31 }), 'experts.gate_up_proj [8, 62, 64]'],
  // Layer 1 is the dense one of the file; with a step of 2, layers 0 and 2 would be dense too.
  [QWEN3_MOE, configured({ decoder_sparse_step: 2 }), `tensor ${MLP}.gate_proj.weight`],
  [QWEN3_MOE, configured({ mlp_only_layers: [] }), 'tensor model.layers.1.mlp.gate.weight'],
  [QWEN3_MOE, changed(`${MLP}.experts.5.up_proj.weight`), `${MLP}.experts.5.up_proj.weight`],
  [QWEN3_MOE, changed(`${MLP}.experts.8.up_proj.weight`, [32, 64]), `${MLP}.experts.8.up_proj.weight`],
  [QWEN3_MOE, changed(`${MLP}.switch_mlp.up_proj.weight`, [7, 32, 64], 'stacked'), 'switch_mlp.up_proj'],
  [QWEN3_MOE, changed(`${MLP}.experts.down_proj`, undefined, 'fused'), `${MLP}.experts.down_proj`],
  [QWEN3_5, configured({ linear_conv_kernel_dim: 3 }), 'conv1d.weight', '[128, 1, 4]'],
  [QWEN3_5, configured({ linear_num_value_heads: 8 }), 'linear_attn'],
  [QWEN3_NEXT, configured({ full_attention_interval: 2, layer_types: undefined }), 'self_attn'],
  ...['attention_bias', 'mlp_bias'].map(
    (field) => [LLAMA, configured({ [field]: true }), 'bias', 'no such tensor'] as const,
  ),
  [LLAMA, changed(`${LAYER}.mlp.up_proj.bias`, [128]), 'unexpected tensor', 'up_proj.bias'],
  // Layer 3 is the last one; parts that predict further tokens, which are ignored, are layers after it.
  [MELLUM, changed('model.layers.3.enorm.weight', [64]), 'unexpected tensor model.layers.3.enorm.weight'],
];

describe('loading a checkpoint', () => {
  for (const [directory, rows] of Object.entries(REFUSED))
    for (const [entries, ...mentions] of rows)
      it(`rejects a config: ${directory}, ${JSON.stringify(entries, (_, value: unknown) => value ?? null)}`, async () => {
        const folder = writeCheckpoint({ ...withConfig(readCheckpoint(directory), entries), tensors: {} });
        const named = mentions.length > 0 ? mentions : Object.keys(entries).slice(0, 1);
        await assertRefused(() => loadTarget(folder, testDevice), join(folder, 'config.json'), ...named);
      });

  for (const [directory, change, ...mentions] of UNFIT)
    it(`rejects tensors that do not fit: ${directory}, ${mentions.join(', ')}`, async () => {
      const folder = writeCheckpoint(change(readCheckpoint(directory)));
      await assertRefused(() => loadTarget(folder, testDevice), folder, ...mentions);
    });

  it('rejects experts of a layer that are packed in several ways, or of which one is not packed', async () => {
    for (const packing of [{ bits: 4, groupSize: 32 }, false] as const) {
      const { quantised } = quantisedCheckpoint(
        readCheckpoint(QWEN3_MOE),
        { bits: 8, groupSize: 32 },
        (path) => (path.endsWith('experts.3.up_proj') ? packing : undefined),
      );
      const folder = writeCheckpoint(quantised);
      await assertRefused(() => loadTarget(folder, packedDevice), 'all experts of a layer quantised alike');
    }
  });
});
