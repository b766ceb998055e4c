// The list of known pairs: its shape, that nothing is in it twice, that its pairs can be loaded, and that its numbers
// agree with each other. That the repositories exist cannot be tested without a network.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { neededMemory, type Bits } from '../../server/hub/pairVariant';
import { drafterBytes, PAIR_FILES, targetBytes, type KnownPair } from '../../server/models/knownPair';
import { knownPairs } from '../../server/models/knownPairs';
import { loadable } from '../../server/models/registry';

const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;
const KINDS: Readonly<Record<KnownPair['drafter']['kind'], string>> = { dflash: 'DFlashDraftModel' };

/** Billions of parameters, as the name of a model says them. */
function billions(name: string): number {
  return Number(/(\d+)B/.exec(name)?.[1] ?? NaN);
}

function memoryBytes(pair: KnownPair, bits: Bits): number {
  return neededMemory({ pair, bits, target: '', drafter: '' }, 'gpu');
}

describe('the known pairs', () => {
  it('are some', () => assert.ok(knownPairs.length > 5));

  it('have every name, target and drafter once', () => {
    const lists = [
      knownPairs.map(({ name }) => name),
      knownPairs.flatMap(({ target }) => [target, ...target.quantised].map(({ repository }) => repository)),
      knownPairs.map(({ drafter }) => drafter.repository),
    ];
    for (const list of lists) assert.deepEqual([...new Set(list)], list);
  });

  for (const { name, target, drafter, ...rest } of knownPairs) {
    it(`name repositories, and quantised ones of the same model: ${name}`, () => {
      for (const { repository } of [target, drafter, ...target.quantised])
        assert.match(repository, REPOSITORY);
      const [, model = ''] = target.repository.split('/');
      assert.deepEqual(
        target.quantised.map(({ bits }) => bits),
        [4, 8],
      );
      for (const { repository, bits } of target.quantised) {
        assert.ok(repository.startsWith('mlx-community/') && repository.endsWith(`-${bits}bit`));
        assert.ok(repository.includes(model));
      }
      assert.ok(target.license !== '' && drafter.license !== '');
    });

    it(`can be loaded: ${name}`, () => {
      assert.ok(loadable.targets.includes(target.modelType));
      assert.ok(loadable.drafters.includes(KINDS[drafter.kind]));
      assert.ok(drafter.blockSize >= 2 && drafter.blockSize <= 256);
      assert.ok(['fim', 'chat'].includes(rest.infill) && ['never', 'off', 'either'].includes(rest.thinking));
    });

    it(`have numbers that agree: ${name}`, () => {
      const stated = billions(name);
      // A name says the parameters rounded, and one name says none.
      if (!Number.isNaN(stated)) assert.ok(Math.abs(target.parameters / 1e9 - stated) < 0.06 * stated + 0.1);
      assert.ok(drafter.parameters < target.parameters / 4 && drafter.parameters > 1e8);
      const { activeParameters = target.parameters } = target;
      assert.equal(activeParameters < target.parameters, /A3B|Next/.test(name));
      assert.ok(target.contextTokens >= 32_768);
      for (const { cacheBytesPerToken } of [target, drafter]) {
        assert.equal(cacheBytesPerToken % 4096, 0);
        assert.ok(cacheBytesPerToken >= 16_384 && cacheBytesPerToken <= 1 << 18);
      }
    });

    it(`need more memory with more bits, and most of it for the target: ${name}`, () => {
      const pair = { name, target, drafter, ...rest };
      const [four, eight, whole] = ([4, 8, 16] as const).map((bits) => memoryBytes(pair, bits));
      assert.ok(four !== undefined && eight !== undefined && whole !== undefined);
      assert.ok(four < eight && eight < whole);
      for (const bits of [4, 8, 16] as const) {
        const weights = targetBytes(target, bits) + drafterBytes(drafter);
        assert.ok(memoryBytes(pair, bits) > weights && memoryBytes(pair, bits) < weights + 2e9);
      }
      assert.equal(targetBytes(target, 16), 2 * target.parameters);
    });
  }

  it('have the sizes that their files are known to have', () => {
    const pairOf = (name: string): KnownPair =>
      knownPairs.find((pair) => pair.name === name) ?? assert.fail();
    const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(2);
    assert.equal(gib(targetBytes(pairOf('Qwen3 4B').target, 16)), '7.49');
    assert.equal(gib(targetBytes(pairOf('Qwen3 8B').target, 16)), '15.26');
    assert.equal(gib(targetBytes(pairOf('Llama 3.1 8B Instruct').target, 16)), '14.96');
    assert.equal(gib(drafterBytes(pairOf('Qwen3 4B').drafter)), '1.00');
    assert.equal(gib(drafterBytes(pairOf('Qwen3-Coder 30B-A3B').drafter)), '0.88');
    assert.equal(gib(drafterBytes(pairOf('Qwen3.5 27B').drafter)), '3.22');
    // Published as 17.2 GB.
    assert.equal((targetBytes(pairOf('Qwen3-Coder 30B-A3B').target, 4) / 1e9).toFixed(1), '17.2');
  });

  it('are those of README.md, with the memory that they need', () => {
    const rows = readFileSync('README.md', 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    for (const pair of knownPairs) {
      const { target, drafter } = pair;
      const row =
        rows.find((cells) => cells[1] === `\`${target.repository}\``) ?? assert.fail(target.repository);
      const sizes = ([4, 8, 16] as const).map((bits) => `${(memoryBytes(pair, bits) / 1e9).toFixed(1)} GB`);
      assert.deepEqual(row.slice(2, -1), [`\`${drafter.repository}\``, String(drafter.blockSize), ...sizes]);
    }
  });

  it('begin with one for infilling', () => assert.equal(knownPairs[0]?.infill, 'fim'));

  it('are read from files that both models need', () => {
    for (const files of Object.values(PAIR_FILES)) {
      const names: readonly string[] = files;
      assert.ok(names.includes('config.json') && names.includes('*.safetensors'));
      assert.equal(new Set(names).size, names.length);
    }
  });
});
