// The list of known pairs: its shape, that nothing is in it twice, that its pairs can be loaded, and that its numbers
// agree with each other. That the repositories exist cannot be tested without a network.
import assert from 'node:assert/strict';
import { drafterOf, knownPairs, pairById, pairId, variantsOf } from '../../server/hub/knownPairs';
import { memoryNeed, weightBytesOf } from '../../server/hub/estimates';
import { DRAFTER_ARCHITECTURES } from '../../server/models/checkpoint/modelFiles';
import { loadable } from '../../server/models/families/registry';

const ARCHITECTURES = {
  DFlash: ['DFlashDraftModel'],
  DFlash2: ['DFlash2DraftModel'],
  DSpark: ['Qwen3DSparkModel', 'Gemma4DSparkModel'],
} as const;

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

function loads(type: string): boolean {
  return [...loadable.targets, ...DRAFTER_ARCHITECTURES].includes(type);
}

/** Billions of parameters, as the name of a model says them. */
function billions(name: string): number {
  return Number(/([\d.]+)B/.exec(name)?.[1] ?? NaN);
}

describe('the known pairs', () => {
  it('have every name, target and drafter once', () => {
    const lists = [
      knownPairs.map(({ name }) => name),
      knownPairs.flatMap((pair) => [...new Set(variantsOf(pair).map((variant) => variant.target))]),
      knownPairs.flatMap(({ drafters }) => drafters.map(({ repository }) => repository)),
    ];
    for (const list of lists) assert.deepEqual([...new Set(list)], list);
  });

  for (const pair of knownPairs) {
    const { name, target, drafters } = pair;
    const variants = variantsOf(pair);

    it(`name repositories, and quantised ones of the same model: ${name}`, () => {
      assert.deepEqual(
        variants.map(({ bits, drafter }) => [drafter, bits]),
        (drafters.length > 0 ? drafters.map(({ repository }) => repository) : ['none']).flatMap(
          (repository) => [...(pair.mlxBits ?? [4, 8]), 16].map((bits) => [repository, bits]),
        ),
      );
      const [, model = ''] = target.repository.split('/');
      for (const { bits, repositories, sizes, ...variant } of variants) {
        assert.equal(sizes.length, repositories.length);
        for (const repository of repositories) assert.match(repository, REPOSITORY);
        const alone = drafters.length === 0;
        assert.deepEqual(repositories, alone ? [variant.target] : [variant.target, variant.drafter]);
        if (bits === 16) assert.equal(variant.target, target.repository);
        else assert.ok(/^mlx-community\/.*-\dbit$/.test(variant.target) && variant.target.includes(model));
      }
      assert.ok(pair.license !== '' && drafters.every(({ license }) => license !== ''));
    });

    it(`can be loaded: ${name}`, () => {
      assert.ok(loads(pair.modelType));
      for (const { kind, repository, blockSize } of drafters) {
        assert.ok(repository.toLowerCase().includes(kind.toLowerCase()));
        assert.ok(ARCHITECTURES[kind].every(loads));
        assert.ok(blockSize >= 2 && blockSize <= 256);
      }
      assert.ok(['fim', 'chat'].includes(pair.infill) && ['never', 'off', 'either'].includes(pair.thinking));
    });

    it(`have numbers that agree: ${name}`, () => {
      const stated = billions(name);
      // A name says the parameters rounded, and one name says none.
      if (!Number.isNaN(stated)) assert.ok(Math.abs(target.parameters / 1e9 - stated) < 0.09 * stated + 0.1);
      for (const { parameters } of drafters)
        assert.ok(parameters < target.parameters / 2 && parameters > 1e8);
      const { activeParameters = target.parameters } = pair;
      assert.equal(activeParameters < target.parameters, /A[\d.]+B|Next/.test(name));
      assert.ok(pair.contextTokens >= 32_768);
      for (const { cacheBytesPerToken, window } of [target, ...drafters]) {
        const lasting = cacheBytesPerToken - (window?.cacheBytesPerToken ?? 0);
        assert.equal(cacheBytesPerToken % 2048, 0);
        assert.ok((lasting >= 8192 || window) && lasting <= 1 << 18);
      }
    });

    it(`need more memory with more bits, and most of it for the target: ${name}`, () => {
      for (const drafter of new Set(variants.map((variant) => variant.drafter))) {
        const own = variants.filter((variant) => variant.drafter === drafter);
        const needs = own.map(({ sizes }) => memoryNeed(sizes, 'gpu'));
        assert.ok(needs.every((need, i) => need > (needs[i - 1] ?? 0)));
      }
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
      ((sizesOf(id, 16)[which]?.weightBytes ?? NaN) / 2 ** 30).toFixed(2);
    assert.equal(gib('qwen3-4b', 0), '7.49');
    assert.equal(gib('qwen3-8b', 0), '15.26');
    assert.equal(gib('llama-3.1-8b-instruct', 0), '14.96');
    assert.equal(gib('qwen3-4b', 1), '1.00');
    assert.equal(gib('qwen3-coder-30b-a3b', 1), '0.88');
    assert.equal(gib('qwen3.5-27b', 1), '3.22');
    assert.equal(gib('qwen3-14b', 0), '27.51');
    // Published in MB or GB.
    const published = (id: string, bits: number): string =>
      (sizesOf(id, bits)[0].weightBytes / 1e9).toFixed(2);
    assert.equal(published('qwen2.5-coder-0.5b', 4), '0.28');
    assert.equal(published('qwen2.5-coder-1.5b', 4), '0.87');
    assert.equal(published('qwen2.5-coder-1.5b', 8), '1.64');
    assert.equal(published('qwen2.5-coder-3b', 8), '3.28');
    assert.equal(published('qwen2.5-coder-7b', 4), '4.28');
    assert.equal(published('qwen2.5-coder-14b', 16), '29.54');
    // Published as 17.2 GB.
    assert.equal((sizesOf('qwen3-coder-30b-a3b', 4)[0].weightBytes / 1e9).toFixed(1), '17.2');
  });

  it('count what DFlash 2 adds to the network of DFlash', () => {
    const parametersOf = (id: string, kind: string): number =>
      drafterOf(pairById(id) ?? assert.fail(), kind)?.parameters ?? NaN;
    const [width, taps, groups, rank, vocabulary] = [5120, 2, 5120 / 16, 256, 248_320];
    const convolution = 2 * taps * width + 2 * taps * groups * width;
    const selector = rank * width + 2 * rank * vocabulary;
    // Five layers and five taps each.
    const added = 10 * convolution + selector;
    assert.equal(parametersOf('qwen3.8-27b', 'dflash2'), parametersOf('qwen3.6-27b', 'dflash') + added);
  });

  it('count the copies that a DSpark drafter has of the tables of its target', () => {
    const drafterParameters = (id: string): number =>
      drafterOf(pairById(id) ?? assert.fail(), 'dspark')?.parameters ?? NaN;
    const backbone = (id: string): number =>
      drafterOf(pairById(id) ?? assert.fail(), 'DFlash')?.parameters ?? NaN;
    for (const [id, width] of [
      ['qwen3-4b', 2560],
      ['qwen3-8b', 4096],
    ] as const) {
      const [tables, markov, confidence] = [2 * 151_936 * width, 2 * 151_936 * 256, width + 256 + 1];
      // The same five layers as the DFlash drafter of that target.
      assert.equal(drafterParameters(id), backbone(id) + tables + markov + confidence);
    }
    // As published, in billions.
    assert.equal((drafterParameters('qwen3-14b') / 1e9).toFixed(2), '3.42');
    assert.equal((drafterParameters('gemma-4-12b') / 1e9).toFixed(2), '3.43');
  });

  it('have drafters of two kinds where two are published, DFlash 2 or else DFlash as the default', () => {
    const both = knownPairs.filter(({ drafters }) => drafters.length > 1);
    assert.deepEqual(
      both.map((pair) => [pairId(pair), ...pair.drafters.map(({ kind }) => kind)]),
      [
        ['qwen3-4b', 'DFlash', 'DSpark'],
        ['qwen3-8b', 'DFlash', 'DSpark'],
        ['qwen3.6-35b-a3b', 'DFlash2', 'DFlash'],
      ],
    );
    for (const pair of both) {
      assert.equal(drafterOf(pair, ''), undefined);
      for (const drafter of pair.drafters)
        for (const name of [drafter.kind.toLowerCase(), drafter.repository])
          assert.equal(drafterOf(pair, name), drafter);
    }
    assert.equal(drafterOf(pairById('qwen3-14b') ?? assert.fail(), 'dflash'), undefined);
  });

  it('begin with those for infilling, from half a billion parameters on', () => {
    const fim = knownPairs.filter(({ infill }) => infill === 'fim');
    assert.deepEqual(knownPairs.slice(0, fim.length), fim);
    assert.deepEqual(fim.map(pairId), [
      'qwen3-coder-30b-a3b',
      ...['0.5b', '1.5b', '3b', '7b'].map((size) => `qwen2.5-coder-${size}`),
      'mellum-2-12b-a2.5b',
      'qwen2.5-coder-14b',
      'qwen3-coder-next',
    ]);
  });
});
