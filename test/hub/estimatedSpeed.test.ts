// How large a model is by its config, and how fast it is expected to be, against figures worked out by hand.
import assert from 'node:assert/strict';
import { estimatedSpeed, measuredSpeed } from '../../server/hub/estimatedSpeed';
import type { Machine } from '../../server/hub/machine';
import { memoryBandwidth } from '../../server/hub/memoryBandwidth';
import { memoryNeed, sizesOfConfig } from '../../server/hub/modelSizes';
import { pairById, sizesOf, variantsOf } from '../../server/hub/pairVariant';
import { ConfigFields } from '../../server/models/configFields';

const config = (object: object): ConfigFields => new ConfigFields('config.json', { ...object });
const mac = (model: string): Machine => ({
  memoryBytes: 64e9,
  freeDiskBytes: 1e12,
  processor: 'gpu',
  bytesPerSecond: memoryBandwidth('gpu', model),
});
const SMALL = {
  num_hidden_layers: 4,
  num_attention_heads: 8,
  num_key_value_heads: 2,
  head_dim: 64,
  hidden_size: 512,
};

describe('the bandwidth of the memory', () => {
  it('is that of the chip, less what is never reached, and modest where nothing is known', () => {
    assert.equal(memoryBandwidth('gpu', 'Apple M1'), 68e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M2 Max'), 400e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M3 Pro'), 150e9 * 0.7);
    assert.equal(memoryBandwidth('gpu', 'Apple M9 Ultra'), memoryBandwidth('gpu', 'Apple M5'));
    assert.equal(memoryBandwidth('cpu', 'Apple M1'), memoryBandwidth('cpu', 'Some Processor'));
    assert.ok(memoryBandwidth('cpu', '') < memoryBandwidth('gpu', 'Apple M1'));
  });
});

describe('the sizes of a model', () => {
  it('follow from its config and its weights', () => {
    const cacheBytesPerToken = 2 * 2 * 4 * 2 * 64;
    const plain = { parameters: 1e6, activeParameters: 1e6, cacheBytesPerToken };
    assert.deepEqual(sizesOfConfig(config(SMALL), 2e6), { ...plain, weightBytes: 2e6 });
    const whole = sizesOfConfig(config({ ...SMALL, torch_dtype: 'float32' }), 4e6);
    assert.equal(whole?.parameters, 1e6);
    const quantised = config({ text_config: SMALL, quantization: { bits: 4, group_size: 64 } });
    assert.deepEqual(sizesOfConfig(quantised, 562_500), { ...plain, weightBytes: 562_500 });
    const layer_types = ['linear_attention', 'linear_attention', 'full_attention', 'sliding_attention'];
    assert.equal(
      sizesOfConfig(config({ ...SMALL, layer_types }), 1)?.cacheBytesPerToken,
      cacheBytesPerToken / 2,
    );
    assert.equal(sizesOfConfig(config({ num_hidden_layers: 'four' }), 1), undefined);
  });

  it('count the experts that a token visits', () => {
    const experts = { num_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 10 };
    const sizes = sizesOfConfig(config({ ...SMALL, ...experts }), 2e6);
    assert.equal(sizes?.activeParameters, 1e6 - 6 * 3 * 512 * 10 * 4);
  });

  it('say the memory: all in float32 on a CPU', () => {
    const sizes = { parameters: 1e6, activeParameters: 1e6, weightBytes: 5e5, cacheBytesPerToken: 100 };
    assert.equal(memoryNeed([sizes], 'gpu'), 5e5 + 8192 * 100);
    assert.equal(memoryNeed([sizes, sizes], 'cpu'), 2 * (4e6 + 8192 * 200));
  });
});

describe('the estimated speed', () => {
  const speedOf = (id: string, machine: Machine) => {
    const [variant = assert.fail()] = variantsOf(pairById(id) ?? assert.fail());
    return estimatedSpeed(sizesOf(variant)[0], machine);
  };

  it('is what the memory gives for the weights of a token: those of its experts, in a mixture', () => {
    const dense = speedOf('qwen3-8b', mac('Apple M2 Max'));
    const bytes = (8_190_735_360 * 4.5) / 8 + 1024 * 147_456;
    assert.ok(Math.abs(dense.tokensPerSecond - (400e9 * 0.7) / bytes) < 1e-6);
    assert.equal(dense.class, 'fast');
    const mixture = speedOf('qwen3-coder-30b-a3b', mac('Apple M2 Max'));
    assert.ok(mixture.tokensPerSecond > dense.tokensPerSecond);
    assert.equal(mixture.class, 'instant');
    const onCpu = { ...mac(''), processor: 'cpu', bytesPerSecond: memoryBandwidth('cpu', '') } as const;
    assert.equal(speedOf('qwen3-4b', onCpu).class, 'slow');
  });

  it('gives way to what was measured', () => {
    assert.deepEqual(measuredSpeed(15), { class: 'moderate', tokensPerSecond: 15, isMeasured: true });
    const classes = [14.9, 39, 40, 79, 80].map((speed) => measuredSpeed(speed).class);
    assert.deepEqual(classes, ['slow', 'moderate', 'fast', 'fast', 'instant']);
  });
});
