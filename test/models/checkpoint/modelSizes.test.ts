// Compares the sizes of models, computed from their configs, with figures computed by hand and with the rows of a real
// cache.
import assert from 'node:assert/strict';
import { memoryNeed } from '../../../server/hub/estimates';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { cachedBytes, sizesOfConfig } from '../../../server/models/checkpoint/modelSizes';
import { KVCache } from '../../../server/models/decoder/kvCache';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';

const config = (object: object): ConfigFields => new ConfigFields('config.json', { ...object });
const SMALL = {
  num_hidden_layers: 4,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 64,
  hidden_size: 512,
};

const files = (size: number) => [{ name: 'model.safetensors', size }];

describe('sizesOfConfig', () => {
  it('computes sizes from config and weights', () => {
    const cacheBytesPerToken = 2 * 2 * 4 * 2 * 64;
    const plain = { parameters: 1e6, activeParameters: 1e6, cacheBytesPerToken };
    assert.deepEqual(sizesOfConfig(config(SMALL), files(2e6)), { ...plain, weightBytes: 2e6 });
    const float32 = sizesOfConfig(config({ ...SMALL, torch_dtype: 'float32' }), files(4e6));
    assert.equal(float32?.parameters, 1e6);
    const quantised = config({ text_config: SMALL, quantization: { bits: 4, group_size: 64 } });
    assert.deepEqual(sizesOfConfig(quantised, files(562_500)), { ...plain, weightBytes: 562_500 });
    const layer_types = ['linear_attention', 'linear_attention', 'full_attention', 'sliding_attention'];
    assert.equal(
      sizesOfConfig(config({ ...SMALL, layer_types }), files(1))?.cacheBytesPerToken,
      cacheBytesPerToken / 2,
    );
    assert.equal(sizesOfConfig(config({ num_hidden_layers: 'four' }), files(1)), undefined);
  });

  it('counts only files of weights, and float32 wherever the config says so', () => {
    const others = [
      ...files(2e6),
      { name: 'tokenizer.json', size: 9e6 },
      { name: 'a.safetensors', size: 2e6 },
    ];
    assert.equal(sizesOfConfig(config(SMALL), others)?.weightBytes, 4e6);
    for (const field of ['dtype', 'torch_dtype'])
      for (const fields of [
        { text_config: { ...SMALL, [field]: 'float32' } },
        { ...SMALL, [field]: 'float32' },
      ])
        assert.equal(sizesOfConfig(config(fields), files(4e6))?.parameters, 1e6);
    assert.equal(sizesOfConfig(config({ ...SMALL, dtype: 'bfloat16' }), files(4e6))?.parameters, 2e6);
  });

  it('counts the attention layers of a hybrid by their interval, and as many keys as queries by default', () => {
    const bytes = (fields: object) =>
      sizesOfConfig(config({ ...SMALL, ...fields }), files(1))?.cacheBytesPerToken;
    assert.equal(bytes({ full_attention_interval: 4, num_hidden_layers: 9 }), 2 * 2 * 2 * 2 * 64);
    assert.equal(bytes({ num_key_value_heads: undefined }), 2 * 2 * 4 * 8 * 64);
    assert.equal(bytes({ sliding_window: 1024 }), 2 * 2 * 4 * 2 * 64);
    assert.equal(bytes({ num_attention_heads: 6, head_dim: null, num_key_value_heads: 1 }), 2 * 2 * 4 * 86);
  });

  it('knows the default head width of Qwen3, which published configs can omit', () => {
    const { head_dim, ...without } = SMALL;
    const bytes = (model_type: string) =>
      sizesOfConfig(config({ ...without, model_type }), files(1))?.cacheBytesPerToken;
    assert.deepEqual([bytes('qwen3'), bytes('qwen3_moe')], [2 * 2 * 4 * 2 * 128, 2 * 2 * 4 * 2 * head_dim]);
  });

  it('counts only the rows that layers with a window keep', () => {
    const full = 2 * 2 * 1 * 128;
    const windowed = 2 * 2 * 3 * 2 * 64;
    const gemma = {
      ...SMALL,
      layer_types: ['sliding_attention', 'sliding_attention', 'sliding_attention', 'full_attention'],
      sliding_window: 1024,
      attention_k_eq_v: true,
      num_global_key_value_heads: 1,
      global_head_dim: 128,
    };
    const sizes = sizesOfConfig(config({ text_config: gemma }), files(2e6)) ?? assert.fail();
    assert.equal(sizes.cacheBytesPerToken, full + windowed);
    assert.equal(cachedBytes(sizes, 1024), 1024 * (full + windowed));
    assert.equal(cachedBytes(sizes, 8192), 8192 * full + 2048 * windowed);
    assert.equal(memoryNeed([sizes], 'gpu'), 2e6 + cachedBytes(sizes, 8192));
    const unbounded = sizesOfConfig(config({ ...gemma, sliding_window: null }), files(2e6)) ?? assert.fail();
    assert.equal(unbounded.window, undefined);
  });

  // The windows of Gemma 3 1B, 4B and 12B, gpt-oss, Mistral 7B v0.1 and Phi-3 mini, as published.
  for (const tokens of [512, 1024, 128, 4096, 2047])
    it(`counts as many rows for a window of ${tokens} as the cache allocates`, () => {
      const shape = { heads: 1, headDim: 4, dtype: mx.float32, window: tokens };
      const cache = new KVCache(shape, 8192);
      for (let offset = 0; offset < 8192; offset += 256)
        scope(() => {
          const rows = mx.zeros([1, 1, 256, 4], mx.float32);
          return { ...cache.append(rows, rows) };
        });
      const rows = cache.arrays()[0]?.shape[2];
      cache.dispose();
      const window = { tokens, cacheBytesPerToken: 1 };
      const sizes = { parameters: 1, activeParameters: 1, weightBytes: 1, cacheBytesPerToken: 1, window };
      assert.equal(cachedBytes(sizes, 8192), rows);
    });

  it('counts only the experts that a token visits as active', () => {
    const experts = { num_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 10 };
    const sizes = sizesOfConfig(config({ ...SMALL, ...experts }), files(2e6));
    assert.equal(sizes?.activeParameters, 1e6 - 6 * 3 * 512 * 10 * 4);
  });

  it('reads the number of experts by all names that it has in files', () => {
    const named = (fields: object) => {
      const experts = { ...SMALL, ...fields, moe_intermediate_size: 10 };
      return sizesOfConfig(config(experts), files(2e6))?.activeParameters;
    };
    const active = 1e6 - 6 * 3 * 512 * 10 * 4;
    assert.equal(named({ num_local_experts: 8, num_experts_per_tok: 2 }), active);
    assert.equal(named({ num_experts: 8, top_k_experts: 2 }), active, 'Gemma 4');
    assert.equal(named({ num_experts: 0 }), 1e6);
  });

  it('reads the bits from quantization_config if there is no quantization field', () => {
    const copied = config({ ...SMALL, quantization_config: { bits: 4, group_size: 64 } });
    assert.equal(sizesOfConfig(copied, files(562_500))?.parameters, 1e6);
  });

  it('uses the number of heads of full layers only if keys serve as values, as transformers does', () => {
    const layer_types = ['sliding_attention', 'full_attention', 'full_attention', 'full_attention'];
    const gemma = { ...SMALL, layer_types, sliding_window: 1024, num_global_key_value_heads: 1 };
    const bytes = (fields: object) =>
      sizesOfConfig(config({ ...gemma, ...fields }), files(1))?.cacheBytesPerToken;
    const row = 2 * 2 * 64;
    assert.equal(bytes({}), row * 4 * 2);
    assert.equal(bytes({ attention_k_eq_v: false }), row * 4 * 2);
    assert.equal(bytes({ attention_k_eq_v: true }), row * (2 + 3));
  });

  it('leaves out layers that share the keys and values of other layers', () => {
    const layer_types = ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'];
    const shared = { ...SMALL, layer_types, sliding_window: 1024, num_kv_shared_layers: 2 };
    const layer = 2 * 2 * 2 * 64;
    const sizes = sizesOfConfig(config(shared), files(2e6));
    assert.equal(sizes?.cacheBytesPerToken, 2 * layer);
    assert.equal(sizes.window?.cacheBytesPerToken, layer);
  });

  it('returns sizes from which the memory need follows, in float32 on a CPU', () => {
    const sizes = { parameters: 1e6, activeParameters: 1e6, weightBytes: 5e5, cacheBytesPerToken: 100 };
    assert.equal(memoryNeed([sizes], 'gpu'), 5e5 + 8192 * 100);
    assert.equal(memoryNeed([sizes, sizes], 'cpu'), 2 * (4e6 + 8192 * 200));
  });
});
