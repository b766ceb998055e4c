// Tests that a model of an unknown type is read as a Llama unless something in it differs, and is then rejected by the
// name of that difference.
import assert from 'node:assert/strict';
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../support/loadModels';
import { testDevice } from '../../support/testDevice';
import { LLAMA, QWEN2, QWEN3, readCheckpoint } from '../../support/fixtures';
import { floatTensor } from '../../support/fileTensor';
import { logitsOf } from '../../support/logitsOf';
import { assertRefused } from '../../support/refusal';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

const asUnknown = (directory: string, config: Readonly<Record<string, unknown>> = {}) =>
  withConfig(readCheckpoint(directory), { model_type: 'unheard_of', architectures: undefined, ...config });

const assertRefusal = async (checkpoint: Checkpoint, ...mentions: readonly string[]) => {
  const folder = writeCheckpoint(checkpoint);
  await assertRefused(() => loadTarget(folder, testDevice), folder, 'model_type unheard_of', ...mentions);
};

/** Fields that hint at another computation than that of a Llama. */
const HINTS: Readonly<Record<string, unknown>> = {
  auto_map: { AutoModelForCausalLM: 'modeling.Other' },
  embedding_multiplier: 12,
  no_rope_layers: [1, 1, 1, 0],
  num_experts: 8,
  qk_layernorm: true,
};

/** Wrong values of fields that the Llama parser reads, or that have one harmless value. */
const VARIANTS: Readonly<Record<string, unknown>> = {
  hidden_act: 'gelu',
  is_encoder_decoder: true,
  layer_types: ['full_attention', 'sliding_attention', 'full_attention', 'sliding_attention'],
  partial_rotary_factor: 0.5,
  sliding_window: 4096,
  use_sliding_window: true,
};

describe('loading a model of an unknown type', () => {
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  it('reads it as a Llama if all its fields and tensors are those of a Llama', async () => {
    const harmless = { sliding_window: null, use_sliding_window: false };
    const ofOldVersions = {
      top_k: 50,
      torchscript: false,
      id2label: { '0': 'LABEL_0' },
      task_specific_params: null,
    };
    const nothing = Object.fromEntries(Object.keys(HINTS).map((field) => [field, null]));
    for (const fields of [harmless, ofOldVersions, nothing])
      assert.deepEqual(await logitsOf(asUnknown(LLAMA, fields)), await logitsOf(readCheckpoint(LLAMA)));
  });

  for (const [field, value] of Object.entries(HINTS))
    it(`rejects it if its config has ${field}`, () =>
      assertRefusal(asUnknown(LLAMA, { [field]: value }), 'config.json', `got ${field} `));

  for (const [field, value] of Object.entries(VARIANTS))
    it(`rejects it with ${field} ${JSON.stringify(value)}`, () =>
      assertRefusal(asUnknown(LLAMA, { [field]: value }), 'config.json', field));

  it('rejects Helium, which rotates neighbouring pairs although its files are those of a Llama', () => {
    const folder = writeCheckpoint(asUnknown(LLAMA, { model_type: 'helium' }));
    return assertRefused(() => loadTarget(folder, testDevice), 'Helium is not supported');
  });

  it('rejects it if a tensor is missing, surplus, or of another shape', async () => {
    const norm = 'model.layers.2.post_attention_layernorm.weight';
    await assertRefusal(withTensors(asUnknown(LLAMA), { [norm]: undefined }), norm, 'no such tensor');
    const short = floatTensor([32], Array<number>(32).fill(1));
    await assertRefusal(withTensors(asUnknown(LLAMA), { [norm]: short }), norm, 'shape [32]');
    const added = 'model.layers.2.self_attn.q_norm.weight';
    await assertRefusal(withTensors(asUnknown(LLAMA), { [added]: short }), `unexpected tensor ${added}`);
  });

  it('reports damaged weights or an unsupported quantisation rather than the unknown type', async () => {
    const folder = writeCheckpoint(asUnknown(LLAMA));
    const weights = join(folder, 'model.safetensors');
    truncateSync(weights, statSync(weights).size - 1);
    await assertRefused(() => loadTarget(folder, testDevice), weights, 'truncated file');
    await assert.rejects(loadTarget(folder, testDevice), /; download the file again$/);
    const quantised = asUnknown(LLAMA, { quantization_config: { quant_method: 'gptq' } });
    await assertRefused(
      () => loadTarget(writeCheckpoint(quantised), testDevice),
      'affine quantisation',
      'got gptq',
    );
  });

  it('refuses FP8 weights by their quantisation, not by the type of the first tensor', async () => {
    const embeddings = 'model.embed_tokens.weight';
    const fp8 = { dtype: 'F8_E4M3', shape: [4, 4], bytes: new Uint8Array(16) };
    const quantised = asUnknown(LLAMA, { quantization_config: { quant_method: 'fp8' } });
    await assertRefused(
      () => loadTarget(writeCheckpoint(withTensors(quantised, { [embeddings]: fp8 })), testDevice),
      'affine quantisation',
      'got fp8',
    );
  });

  it('rejects a model of another family by a tensor that no Llama has', async () => {
    const plain = { layer_types: undefined, max_window_layers: undefined };
    await assertRefusal(asUnknown(QWEN2, plain), 'unexpected tensor', '.bias');
    await assertRefusal(asUnknown(QWEN3, plain), 'unexpected tensor', '_norm.weight');
  });
});
