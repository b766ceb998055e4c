// The list of known pairs: its shape, that nothing is in it twice, that its pairs can be loaded, and that its numbers
// agree with each other. That the repositories exist cannot be tested without a network.
import assert from 'node:assert/strict';
import { knownPairs, pairById, variantsOf } from '../../server/hub/knownPairs';
import { memoryNeed, weightBytesOf } from '../../server/hub/modelSizes';
import { loadable } from '../../server/models/registry';

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

/** Billions of parameters, as the name of a model says them. */
function billions(name: string): number {
  return Number(/(\d+)B/.exec(name)?.[1] ?? NaN);
}

describe('the known pairs', () => {
  it('are some', () => assert.ok(knownPairs.length > 5));

  it('have every name, target and drafter once', () => {
    const lists = [
      knownPairs.map(({ name }) => name),
      knownPairs.flatMap((pair) => variantsOf(pair).map((variant) => variant.target)),
      knownPairs.map(({ drafter }) => drafter.repository),
    ];
    for (const list of lists) assert.deepEqual([...new Set(list)], list);
  });

  for (const pair of knownPairs) {
    const { name, target, drafter } = pair;
    const variants = variantsOf(pair);

    it(`name repositories, and quantised ones of the same model: ${name}`, () => {
      assert.deepEqual(
        variants.map(({ bits }) => bits),
        [4, 8, 16],
      );
      const [, model = ''] = target.repository.split('/');
      for (const { bits, repositories, ...variant } of variants) {
        for (const repository of repositories) assert.match(repository, REPOSITORY);
        assert.deepEqual(repositories, [variant.target, drafter.repository]);
        if (bits === 16) assert.equal(variant.target, target.repository);
        else assert.ok(/^mlx-community\/.*-\dbit$/.test(variant.target) && variant.target.includes(model));
      }
      assert.ok(pair.licenses.target !== '' && pair.licenses.drafter !== '');
    });

    it(`can be loaded: ${name}`, () => {
      assert.ok(loadable.targets.includes(pair.modelType));
      assert.ok(drafter.repository.includes('DFlash') && loadable.drafters.includes('DFlashDraftModel'));
      assert.ok(pair.blockSize >= 2 && pair.blockSize <= 256);
      assert.ok(['fim', 'chat'].includes(pair.infill) && ['never', 'off', 'either'].includes(pair.thinking));
    });

    it(`have numbers that agree: ${name}`, () => {
      const stated = billions(name);
      // A name says the parameters rounded, and one name says none.
      if (!Number.isNaN(stated)) assert.ok(Math.abs(target.parameters / 1e9 - stated) < 0.06 * stated + 0.1);
      assert.ok(drafter.parameters < target.parameters / 4 && drafter.parameters > 1e8);
      const { activeParameters = target.parameters } = pair;
      assert.equal(activeParameters < target.parameters, /A3B|Next/.test(name));
      assert.ok(pair.contextTokens >= 32_768);
      for (const { cacheBytesPerToken } of [target, drafter]) {
        assert.equal(cacheBytesPerToken % 4096, 0);
        assert.ok(cacheBytesPerToken >= 16_384 && cacheBytesPerToken <= 1 << 18);
      }
    });

    it(`need more memory with more bits, and most of it for the target: ${name}`, () => {
      const needs = variants.map(({ sizes }) => memoryNeed(sizes, 'gpu'));
      assert.deepEqual(
        needs,
        [...needs].sort((a, b) => a - b),
      );
      for (const { sizes } of variants) {
        const [need, weights] = [memoryNeed(sizes, 'gpu'), weightBytesOf(sizes)];
        assert.ok(need > weights && need < weights + 2e9);
      }
      assert.equal(variants.at(-1)?.sizes[0].weightBytes, 2 * target.parameters);
    });
  }

  it('have the sizes that their files are known to have', () => {
    const sizesOf = (id: string, bits: number) =>
      variantsOf(pairById(id) ?? assert.fail()).find((variant) => variant.bits === bits)?.sizes ??
      assert.fail();
    const gib = (id: string, which: 0 | 1): string =>
      (sizesOf(id, 16)[which].weightBytes / 2 ** 30).toFixed(2);
    assert.equal(gib('qwen3-4b', 0), '7.49');
    assert.equal(gib('qwen3-8b', 0), '15.26');
    assert.equal(gib('llama-3.1-8b-instruct', 0), '14.96');
    assert.equal(gib('qwen3-4b', 1), '1.00');
    assert.equal(gib('qwen3-coder-30b-a3b', 1), '0.88');
    assert.equal(gib('qwen3.5-27b', 1), '3.22');
    // Published as 17.2 GB.
    assert.equal((sizesOf('qwen3-coder-30b-a3b', 4)[0].weightBytes / 1e9).toFixed(1), '17.2');
  });

  it('begin with one for infilling', () => assert.equal(knownPairs[0]?.infill, 'fim'));
});
