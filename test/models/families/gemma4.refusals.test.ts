// What a Gemma 4 checkpoint is refused for, by its name: fields before any weight is read, and tensors that
// do not fit.
import { join } from 'node:path';
import { loadTarget } from '../../../server/models/families/registry';
import { cpu } from '../../support/cpu';
import { floatTensor } from '../../support/fileTensor';
import { GEMMA4, GEMMA4_E, GEMMA4_MOE, readCheckpoint } from '../../support/fixtures';
import type { Entries } from '../../support/gemmaConfig';
import { assertRefused } from '../../support/refusal';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

const PATTERN = ['sliding', 'sliding', 'full', 'sliding', 'sliding'].map((kind) => `${kind}_attention`);
const AS_PUBLISHED = { per_layer_config: null, global_head_dim: 32, num_global_key_value_heads: 1 };
const EXPERTS = { enable_moe_block: true, num_experts: 4, top_k_experts: 2, moe_intermediate_size: 8 };

/** In both layers that see everything. */
const layer = (entry: unknown) => ({ per_layer_config: { '2': entry, '5': entry } });

type Row = readonly [entries: Entries, ...mentions: string[]];

const REFUSED: readonly Row[] = [
  ...['hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads'].map((name): Row => [
    { [name]: null },
    name,
  ]),
  ...['num_experts', 'top_k_experts', 'moe_intermediate_size'].map((name): Row => [
    { ...EXPERTS, [name]: null },
    name,
  ]),
  [{ ...EXPERTS, top_k_experts: 5 }, 'top_k_experts', 'from 1 to 4', 'got 5'],
  [{ enable_moe_block: 'yes' }, 'enable_moe_block'],
  [{ hidden_activation: 'gelu' }, 'hidden_activation'],
  [{ attn_logit_softcapping: 50 }, 'attn_logit_softcapping'],
  [{ final_logit_softcapping: -1 }, 'final_logit_softcapping'],
  [{ use_bidirectional_attention: 'all' }, 'use_bidirectional_attention', 'got "all"'],
  [{ attention_k_eq_v: 1 }, 'attention_k_eq_v'],
  [{ sliding_window: 0 }, 'sliding_window'],
  [{ layer_types: [...PATTERN, 'sliding_attention'] }, 'full_attention as the last of layer_types'],
  [{ layer_types: ['full_attention'] }, 'layer_types'],
  [{ head_dim: 15 }, 'head_dim', 'got 15'],
  [{ ...AS_PUBLISHED, global_head_dim: 33 }, 'global_head_dim', 'got 33'],
  [{ ...AS_PUBLISHED, global_head_dim: '32' }, 'global_head_dim'],
  [{ ...AS_PUBLISHED, num_global_key_value_heads: 3 }, 'num_attention_heads', 'got 4 and 3'],
  [layer({ head_dim: 33 }), 'per_layer_config', 'head_dim', 'got 33'],
  [layer({ num_key_value_heads: 0 }), 'per_layer_config: 2: num_key_value_heads'],
  [layer({ num_key_value_heads: 3 }), 'num_attention_heads', 'got 4 and 3'],
  [layer({ head_dim: 32, intermediate_size: 9 }), 'per_layer_config: 2', 'got intermediate_size'],
  [layer(32), 'per_layer_config: 2'],
  [{ per_layer_config: { '2': { head_dim: 32 } } }, 'the same heads in all layers', 'layer 5'],
  [{ per_layer_config: { '0': { head_dim: 32 } } }, 'the same heads in all layers', 'layer 0'],
  [{ per_layer_config: { '6': {} } }, 'per_layer_config', 'got 6'],
  [{ per_layer_config: { full_attention: {} } }, 'per_layer_config', 'got full_attention'],
  [{ per_layer_config: [] }, 'per_layer_config'],
  [{ rope_parameters: { rope_theta: 1e4 } }, 'rope_parameters: sliding_attention'],
  [{ rope_parameters: { sliding_attention: {} } }, 'rope_parameters: full_attention'],
  [{ num_kv_shared_layers: 6 }, 'num_kv_shared_layers'],
  [{ num_kv_shared_layers: 4 }, 'num_kv_shared_layers', 'full_attention', 'got 4'],
  [{ num_kv_shared_layers: -1 }, 'num_kv_shared_layers'],
  [{ use_double_wide_mlp: 2 }, 'use_double_wide_mlp'],
  [{ hidden_size_per_layer_input: -8 }, 'hidden_size_per_layer_input'],
  [{ hidden_size_per_layer_input: 8, vocab_size_per_layer_input: 255 }, 'vocab_size_per_layer_input'],
  [{ text_config: 'gemma4_text' }, 'text_config'],
];

const AT = 'model.layers.2';
const ones = (shape: readonly number[]) =>
  floatTensor(shape, Array<number>(shape.reduce((product, n) => product * n, 1)).fill(1));

/** Does not fit the fixture of that name: a tensor more, or sizes that its tensors do not have. */
const UNFIT: readonly (readonly [
  directory: string,
  change: (own: Checkpoint) => Checkpoint,
  ...mentions: string[],
])[] = [
  // Keys serve as values there, and nothing may hide that there are others.
  [
    GEMMA4,
    (own) => withTensors(own, { [`${AT}.self_attn.v_proj.weight`]: ones([32, 64]) }),
    `${AT}.self_attn.v_proj`,
  ],
  [
    GEMMA4,
    (own) => withConfig(own, { attention_k_eq_v: false }),
    `tensor ${AT}.self_attn.v_proj.weight [32, 64]`,
  ],
  [
    GEMMA4,
    (own) => withConfig(own, { hidden_size_per_layer_input: 8 }),
    'embed_tokens_per_layer.weight [256, 48]',
  ],
  [GEMMA4, (own) => withConfig(own, EXPERTS), 'post_feedforward_layernorm_1.weight [64]'],
  [
    GEMMA4_E,
    (own) => withConfig(own, { num_kv_shared_layers: 1 }),
    'layers.4.self_attn.k_proj.weight [32, 64]',
    'no such tensor',
  ],
  [
    GEMMA4_E,
    (own) => withConfig(own, { num_kv_shared_layers: 0 }),
    'self_attn.k_proj.weight',
    'no such tensor',
  ],
  [GEMMA4_E, (own) => withConfig(own, { use_double_wide_mlp: false }), 'mlp.gate_proj.weight [128, 64]'],
  [GEMMA4_E, (own) => withConfig(own, { hidden_size_per_layer_input: 0 }), 'unexpected tensor model.'],
  [GEMMA4_MOE, (own) => withConfig(own, { enable_moe_block: false }), 'unexpected tensor model.layers.0.'],
  [GEMMA4_MOE, (own) => withConfig(own, { num_experts: 9 }), 'model.layers.0.router.proj.weight [9, 64]'],
  [GEMMA4_MOE, (own) => withConfig(own, { moe_intermediate_size: 31 }), 'experts.gate_up_proj [8, 62, 64]'],
  [
    GEMMA4_MOE,
    (own) => withTensors(own, { 'model.other.weight': ones([1]) }),
    'unexpected tensor model.other.weight',
  ],
];

describe('a Gemma 4 checkpoint is refused', () => {
  for (const [entries, ...mentions] of REFUSED)
    it(`with ${JSON.stringify(entries)}`, async () => {
      const folder = writeCheckpoint({ ...withConfig(readCheckpoint(GEMMA4), entries), tensors: {} });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'config.json'), ...mentions);
    });

  for (const [directory, change, ...mentions] of UNFIT)
    it(`where its tensors do not fit: ${mentions.join(', ')}`, async () => {
      const folder = writeCheckpoint(change(readCheckpoint(directory)));
      await assertRefused(() => loadTarget(folder, cpu), folder, ...mentions);
    });
});
