// Tests the estimates of memory, speed and the gain of drafts against figures that were computed by hand.
import assert from 'node:assert/strict';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { draftsPay, estimates, memoryNeed, speedOf } from '../../server/hub/estimates';
import { memoryBandwidth } from '../../server/machine/memoryBandwidth';
import type { MachineFacts } from '../../server/protocol/modelCatalogue';

describe('the expected gain of drafts', () => {
  /** Returns the bits of the variants, with the first drafter of a pair, for which drafts are expected to pay. */
  const bitsWithGain = (id: string, processor: MachineFacts['processor'] = 'gpu'): string[] =>
    variantsOf(pairById(id) ?? assert.fail())
      .filter(({ knownDrafter }, _, [first]) => knownDrafter === first?.knownDrafter)
      .filter((variant) => draftsPay(variant, processor))
      .map(({ bits }) => String(bits));

  it('is none on a GPU for quantised mixtures of experts and 4 bits, whose passes of several rows are slow', () => {
    assert.deepEqual(bitsWithGain('qwen3.6-35b-a3b'), ['16']);
    assert.deepEqual(bitsWithGain('qwen3-coder-30b-a3b'), ['16']);
    assert.deepEqual(bitsWithGain('gemma-4-12b'), ['8', '16']);
    assert.deepEqual(bitsWithGain('qwen3.8-27b'), ['8', '16']);
    assert.deepEqual(bitsWithGain('qwen3-8b'), ['8', '16']);
  });

  it('is positive on a CPU, whose weights are float32, and none without a drafter', () => {
    assert.deepEqual(bitsWithGain('qwen3.6-35b-a3b', 'cpu'), ['4', '8', '16']);
    assert.deepEqual(bitsWithGain('qwen2.5-coder-7b'), []);
  });
});

describe('the memory for models', () => {
  it('is that of the weights and the cache of a long prompt, both in float32 on a CPU', () => {
    const [four = assert.fail()] = variantsOf(pairById('qwen2.5-coder-7b') ?? assert.fail());
    const [parameters, cache] = [7_615_616_512, 8192 * 57_344];
    assert.equal(memoryNeed(four.sizes, 'gpu'), (parameters * 4.5) / 8 + cache);
    assert.equal(memoryNeed(four.sizes, 'cpu'), 4 * parameters + 2 * cache);
    assert.deepEqual(estimates([undefined], 'gpu'), { memoryBytes: undefined, speed: undefined });
  });
});

describe('the estimated speed', () => {
  const estimated = (id: string, processor: MachineFacts['processor'], model: string) => {
    const [variant = assert.fail()] = variantsOf(pairById(id) ?? assert.fail());
    return estimates(variant.sizes, processor, memoryBandwidth(processor, model)).speed ?? assert.fail();
  };

  it('is the bandwidth divided by the bytes read per token, of active experts only in a mixture', () => {
    const dense = estimated('qwen3-8b', 'gpu', 'Apple M2 Max');
    const bytes = (8_190_735_360 * 4.5) / 8 + 1024 * 147_456;
    assert.ok(Math.abs(dense.tokensPerSecond - (400e9 * 0.7) / bytes) < 1e-6);
    assert.equal(dense.class, 'fast');
    const mixture = estimated('qwen3-coder-30b-a3b', 'gpu', 'Apple M2 Max');
    assert.ok(mixture.tokensPerSecond > dense.tokensPerSecond);
    assert.equal(mixture.class, 'instant');
    assert.equal(estimated('qwen3-4b', 'cpu', '').class, 'slow');
  });

  it('has a class by the tokens per second, also if it is measured', () => {
    assert.deepEqual(speedOf(15, true), { class: 'moderate', tokensPerSecond: 15, isMeasured: true });
    const classes = [14.9, 39, 40, 79, 80].map((speed) => speedOf(speed, true).class);
    assert.deepEqual(classes, ['slow', 'moderate', 'fast', 'fast', 'instant']);
  });
});
