// Tests the list of known pairs: unique entries, supported architectures and consistent numbers. No network is used, so
// repositories are not looked up.
import assert from 'node:assert/strict';
import { drafterName, drafterOf, knownPairs, pairById, variantsOf } from '../../server/hub/knownPairs';
import { DRAFTER_ARCHITECTURES } from '../../server/models/checkpoint/modelFiles';
import { loadable } from '../../server/models/loadable';

const ARCHITECTURES = {
  DFlash: ['DFlashDraftModel'],
  DFlash2: ['DFlash2DraftModel'],
  DSpark: ['Qwen3DSparkModel', 'Gemma4DSparkModel', 'DSparkDraftModel'],
} as const;

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

function isSupported(type: string): boolean {
  return [...loadable.targets, ...DRAFTER_ARCHITECTURES].includes(type);
}

/** Returns the billions of parameters in the name of a model; NaN if the name has none. */
function billions(name: string): number {
  return Number(/([\d.]+)B/.exec(name)?.[1] ?? NaN);
}

describe('the known pairs', () => {
  it('have unique names, targets and drafters', () => {
    const lists = [
      knownPairs.map(({ name }) => name),
      knownPairs.flatMap((pair) => [...new Set(variantsOf(pair).map((variant) => variant.target))]),
      knownPairs.flatMap(({ drafters }) => drafters.map(({ repository }) => repository)),
    ];
    for (const list of lists) assert.deepEqual([...new Set(list)], list);
  });

  it('have a name for each drafter by which it is found, even among several of one kind', () => {
    for (const pair of knownPairs)
      for (const drafter of pair.drafters)
        assert.equal(drafterOf(pair, drafterName(pair, drafter)), drafter, drafter.repository);
  });

  for (const pair of knownPairs) {
    const { name, target, drafters } = pair;
    const variants = variantsOf(pair);

    it(`name repositories and quantised repositories of the same model: ${name}`, () => {
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
        const hasNoDrafter = drafters.length === 0;
        assert.deepEqual(repositories, hasNoDrafter ? [variant.target] : [variant.target, variant.drafter]);
        if (bits === 16) assert.equal(variant.target, target.repository);
        else assert.ok(/^mlx-community\/.*-\dbit$/.test(variant.target) && variant.target.includes(model));
      }
      assert.ok(pair.license !== '' && drafters.every(({ license }) => license !== ''));
    });

    it(`have a supported architecture: ${name}`, () => {
      assert.ok(isSupported(pair.modelType));
      for (const { kind, repository, blockSize } of drafters) {
        assert.ok(repository.toLowerCase().includes(kind.toLowerCase()));
        assert.ok(ARCHITECTURES[kind].every(isSupported));
        assert.ok(blockSize >= 2 && blockSize <= 256);
      }
    });

    it(`have consistent numbers: ${name}`, () => {
      const namedBillions = billions(name);
      // Names have rounded numbers or none.
      if (!Number.isNaN(namedBillions))
        assert.ok(Math.abs(target.parameters / 1e9 - namedBillions) < 0.09 * namedBillions + 0.1);
      for (const { parameters } of drafters)
        assert.ok(parameters < target.parameters / 2 && parameters > 1e8);
      const { activeParameters = target.parameters } = pair;
      assert.equal(activeParameters < target.parameters, /A[\d.]+B|-Next/.test(name));
      assert.ok(pair.contextTokens >= 32_768);
      for (const { cacheBytesPerToken, window } of [target, ...drafters]) {
        const unwindowedBytes = cacheBytesPerToken - (window?.cacheBytesPerToken ?? 0);
        assert.equal(cacheBytesPerToken % 2048, 0);
        assert.ok((unwindowedBytes >= 8192 || window) && unwindowedBytes <= 1 << 18);
      }
    });
  }

  it('have the published sizes of their files', () => {
    /** Returns the size of the target (0) or the drafter (1). */
    const bytesOf = (id: string, bits: number, model: 0 | 1 = 0): number =>
      variantsOf(pairById(id) ?? assert.fail()).find((variant) => variant.bits === bits)?.sizes[model]
        ?.weightBytes ?? assert.fail();
    for (const [id, model, gibibytes] of [
      ['qwen3-4b', 0, '7.49'],
      ['qwen3-8b', 0, '15.26'],
      ['llama-3.1-8b-instruct', 0, '14.96'],
      ['qwen3-4b', 1, '1.00'],
      ['qwen3-coder-30b-a3b', 1, '0.88'],
      ['qwen3.5-27b', 1, '3.22'],
      ['qwen3-14b', 0, '27.51'],
    ] as const)
      assert.equal((bytesOf(id, 16, model) / 2 ** 30).toFixed(2), gibibytes, id);
    // Published in MB or GB.
    for (const [id, bits, gigabytes] of [
      ['qwen2.5-coder-0.5b', 4, '0.28'],
      ['qwen2.5-coder-1.5b', 4, '0.87'],
      ['qwen2.5-coder-1.5b', 8, '1.64'],
      ['qwen2.5-coder-3b', 8, '3.28'],
      ['qwen2.5-coder-7b', 4, '4.28'],
      ['qwen2.5-coder-14b', 16, '29.54'],
    ] as const)
      assert.equal((bytesOf(id, bits) / 1e9).toFixed(2), gigabytes, id);
    // Published as 17.2 GB.
    assert.equal((bytesOf('qwen3-coder-30b-a3b', 4) / 1e9).toFixed(1), '17.2');
    // Billions of parameters, including the tables that DSpark drafters copy from their targets.
    for (const [id, billion] of [
      ['qwen3-14b', '3.42'],
      ['gemma-4-12b', '3.43'],
      // Without tables.
      ['qwen3.8-27b', '1.86'],
    ] as const) {
      const { parameters = NaN } = drafterOf(pairById(id) ?? assert.fail(), 'dspark') ?? {};
      assert.equal((parameters / 1e9).toFixed(2), billion, id);
    }
  });

  it('are sorted from models for infilling to models for next edits', () => {
    const edits = knownPairs.filter(({ isNextEdit }) => isNextEdit);
    const fim = knownPairs.filter(({ infill, isNextEdit }) => infill === 'fim' && !isNextEdit);
    assert.deepEqual(knownPairs.slice(0, fim.length), fim);
    assert.deepEqual(knownPairs.slice(-edits.length), edits);
  });
});
