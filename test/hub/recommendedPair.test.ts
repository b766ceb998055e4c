// Tests the recommended pair on many machines, and the time of its first prompt.
import assert from 'node:assert/strict';
import { PromptTokens } from '../../server/completion/prompt/promptTokens';
import { estimates, memoryNeed, weightBytesOf } from '../../server/hub/estimates';
import { knownPairs, pairById, pairId, variantsOf, type PairVariant } from '../../server/hub/knownPairs';
import { recommendedPair } from '../../server/hub/recommendedPair';
import { memoryBandwidth } from '../../server/machine/memoryBandwidth';
import { mixturePromptSpeed } from '../../server/models/checkpoint/promptSpeed';
import type { MachineFacts } from '../../server/protocol/modelCatalogue';
import { macWith } from '../support/hub/macWith';

const families = [...new Set(knownPairs.map(({ modelType }) => modelType))];
const advised = (
  machine: MachineFacts,
  loads: readonly string[] = families,
  isDownloaded = () => false,
): string | undefined => {
  const chip = machine.processor === 'gpu' ? 'Apple M4 Pro' : '';
  const variant = recommendedPair(machine, loads, isDownloaded, {
    bytesPerSecond: memoryBandwidth(machine.processor, chip),
  });
  return variant && `${pairId(variant.pair)} ${String(variant.bits)}`;
};

describe('the recommended model', () => {
  it('is the largest model for infilling that fits and is not slow, with 8 bits if they fit', () => {
    assert.equal(advised(macWith(160)), 'qwen3-coder-next 8');
    assert.equal(advised(macWith(96)), 'qwen3-coder-next 4');
    assert.equal(advised(macWith(64)), 'qwen3-coder-30b-a3b 8');
    assert.equal(advised(macWith(36)), 'qwen3-coder-30b-a3b 4');
    assert.equal(advised(macWith(24)), 'qwen2.5-coder-14b 4');
    assert.equal(advised(macWith(14)), 'mellum-2-12b-a2.5b 4');
    assert.equal(advised(macWith(11)), 'qwen2.5-coder-7b 4');
    assert.equal(advised(macWith(4)), 'qwen2.5-coder-1.5b 8');
    assert.equal(advised(macWith(0.5)), undefined);
  });

  it('needs free disk space unless both its target and its drafter are downloaded', () => {
    const full = { ...macWith(24), freeDiskBytes: 0 };
    const [pair = assert.fail()] = variantsOf(pairById('qwen3-4b') ?? assert.fail());
    const recommended = (...downloads: readonly string[]) =>
      recommendedPair(full, ['qwen3'], (name) => downloads.includes(name), { bytesPerSecond: 2e11 })
        ?.repositories;
    assert.deepEqual(recommended(pair.target, pair.drafter), [pair.target, pair.drafter]);
    assert.equal(recommended(pair.drafter), undefined);
    for (const repository of recommended(pair.target) ?? []) assert.equal(repository, pair.target);
  });

  it('leaves the margin free on the disk without which its download is refused', () => {
    const [four = assert.fail()] = variantsOf(pairById('qwen2.5-coder-14b') ?? assert.fail());
    const margin = 256 * 2 ** 20;
    const recommendedWith = (freeDiskBytes: number) => advised({ ...macWith(24), freeDiskBytes });
    assert.equal(recommendedWith(weightBytesOf(four.sizes) + margin), 'qwen2.5-coder-14b 4');
    assert.equal(recommendedWith(weightBytesOf(four.sizes) + margin - 1), 'mellum-2-12b-a2.5b 4');
  });

  it('has a licence for use at work', () => {
    const memory = memoryNeed(
      variantsOf(pairById('qwen2.5-coder-3b') ?? assert.fail())[0]?.sizes ?? [],
      'gpu',
    );
    // Just enough for that model: two thirds of the memory are for models, and a fifth of these is left free.
    assert.equal(advised(macWith((1.55 * memory) / 0.8 / 1e9)), 'qwen2.5-coder-1.5b 8');
  });

  it('fits and is not slow on any Mac, and can infill on Macs below 32 GB', () => {
    for (let memory = 1; memory <= 256; memory *= 1.3)
      for (const chip of ['M1', 'M2', 'M4 Pro', 'M5 Max']) {
        const speed = memoryBandwidth('gpu', `Apple ${chip}`);
        const variant = recommendedPair(macWith(memory), families, () => false, { bytesPerSecond: speed });
        if (variant === undefined && memory < 4) continue;
        const { sizes, pair } = variant ?? assert.fail();
        // A fifth of the usable memory stays free, as this MLX has no wired memory to keep weights in.
        assert.ok(memoryNeed(sizes, 'gpu') <= 0.8 * macWith(memory).usableBytes);
        assert.notEqual(estimates(sizes, 'gpu', speed).speed?.class, 'slow');
        assert.ok(memory >= 32 || pair.infill === 'fim');
      }
  });

  it('depends on measured speeds rather than estimated ones', () => {
    const recommendedAt = (tokensPerSecond: number) =>
      recommendedPair(macWith(24), families, () => true, {
        bytesPerSecond: memoryBandwidth('gpu', 'Apple M4 Pro'),
        measured: ({ pair }) => (pairId(pair) === 'qwen2.5-coder-14b' ? tokensPerSecond : undefined),
      })?.pair.name;
    assert.equal(recommendedAt(14.9), 'Mellum 2 12B-A2.5B');
    assert.equal(recommendedAt(15), 'Qwen2.5-Coder 14B');
  });

  it('is not a model for next edits, and of two equally large ones the newer', () => {
    const fast = { bytesPerSecond: 1e12 };
    const recommended = (family: string) =>
      recommendedPair(macWith(64), [family], () => false, fast)?.pair.name;
    assert.equal(recommended('llama'), 'Llama 3.1 8B Instruct');
    assert.equal(recommended('qwen3_5'), 'Qwen3.8 27B');
  });

  it('can be loaded by this version, and fits on the disk unless it is downloaded already', () => {
    assert.equal(advised(macWith(24), ['qwen3']), 'qwen3-8b 8');
    assert.equal(advised(macWith(16), []), undefined);
    assert.equal(advised(macWith(96, 10)), 'qwen2.5-coder-14b 4');
    assert.equal(
      advised(macWith(96, 10), families, () => true),
      'qwen3-coder-next 4',
    );
  });

  it('is none on a CPU, where float32 weights are slow, unless a model was measured to be fast', () => {
    for (const memory of [4, 16, 400])
      assert.equal(advised({ ...macWith(memory), processor: 'cpu' }), undefined);
    const [four, eight] = variantsOf(pairById('Qwen3-4B') ?? assert.fail());
    assert.ok(four && eight);
    const need = memoryNeed(four.sizes, 'cpu');
    const recommendedWith = (usable: number) =>
      recommendedPair({ ...macWith(64), processor: 'cpu', usableBytes: usable }, ['qwen3'], () => false, {
        measured: (variant) => (variant.target === four.target ? 50 : undefined),
      })?.target;
    assert.equal(recommendedWith(need), four.target, 'one that was measured to be fast');
    assert.equal(recommendedWith(need - 1), undefined);
    assert.equal(memoryNeed(four.sizes, 'cpu'), memoryNeed(eight.sizes, 'cpu'));
    assert.ok(memoryNeed(four.sizes, 'cpu') > 4 * memoryNeed(four.sizes, 'gpu'));
  });
});

describe('reading the first prompt of a mixture', () => {
  const CHIPS = ['M1', 'M1 Pro', 'M2', 'M2 Max', 'M3', 'M3 Pro', 'M4', 'M4 Pro', 'M4 Max', 'M5'];
  const target = ({ sizes }: PairVariant) => sizes[0];

  it('takes at most 1.5 s on each machine for which the mixture is recommended', () => {
    const recommended = new Set<string>();
    for (const chip of CHIPS)
      for (const memory of [8, 16, 24, 36, 48, 64, 128]) {
        const bandwidth = memoryBandwidth('gpu', `Apple ${chip}`);
        const variant = recommendedPair(macWith(memory), families, () => false, {
          bytesPerSecond: bandwidth,
        });
        const tokensPerSecond = variant && mixturePromptSpeed(target(variant), 'gpu', bandwidth);
        if (variant === undefined || tokensPerSecond === undefined) continue;
        recommended.add(pairId(variant.pair));
        const expectedPrefillSpeed = tokensPerSecond / 1000;
        const tokens = new PromptTokens().of('a', 'auto', { expectedPrefillSpeed });
        assert.ok(tokens / tokensPerSecond <= 1.5, `${pairId(variant.pair)} on an ${chip}`);
      }
    assert.ok(recommended.has('qwen3-coder-30b-a3b'), [...recommended].join());
  });

  it('is estimated from the weights per token, except for dense models and CPUs', () => {
    const [mixture = assert.fail()] = variantsOf(pairById('qwen3-coder-30b-a3b') ?? assert.fail());
    const speed = mixturePromptSpeed(target(mixture), 'gpu', memoryBandwidth('gpu', 'Apple M4 Pro'));
    assert.ok(speed !== undefined && speed > 300 && speed < 600, String(speed));
    // Four times the decode speed, which reads the weights of the active parameters for each token.
    const sizes = { parameters: 8e9, activeParameters: 2e9, weightBytes: 4e9, cacheBytesPerToken: 1 };
    assert.equal(mixturePromptSpeed(sizes, 'gpu', 1e11), 4 * 100);
    assert.equal(mixturePromptSpeed(target(mixture), 'cpu', 1e11), undefined);
    const [dense = assert.fail()] = variantsOf(pairById('qwen3-8b') ?? assert.fail());
    assert.equal(mixturePromptSpeed(target(dense), 'gpu', 1e11), undefined);
  });

  it('excludes no mixture that was measured to be fast here, however slow the estimate is', () => {
    const slow = memoryBandwidth('gpu', 'Apple M1');
    const recommendedAt = (measured?: number) =>
      recommendedPair(macWith(16), ['mellum'], () => true, { bytesPerSecond: slow, measured: () => measured })
        ?.pair.name;
    assert.equal(recommendedAt(), undefined);
    assert.equal(recommendedAt(15), 'Mellum 2 12B-A2.5B');
    assert.equal(recommendedAt(14.9), undefined);
  });
});
