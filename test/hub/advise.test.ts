// What is recommended to a machine, and what speaks against a model on it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { advise } from '../../server/hub/advise';
import type { Machine } from '../../server/hub/machine';
import { neededMemory, pairById, pairId, variantsOf, type PairVariant } from '../../server/hub/pairVariant';
import { diskProblem, drafterProblem, familyProblem, memoryProblem } from '../../server/hub/problem';
import type { InputError } from '../../server/inputError';
import { ConfigFields } from '../../server/models/configFields';
import { knownPairs } from '../../server/models/knownPairs';
import { targetHash } from '../../server/models/targetHash';

const GIGABYTE = 1e9;
const families = [...new Set(knownPairs.map(({ target }) => target.modelType))];
const mac = (memory: number, disk = 500): Machine => ({
  memoryBytes: memory * GIGABYTE,
  freeDiskBytes: disk * GIGABYTE,
  processor: 'gpu',
  bytesPerSecond: 70 * GIGABYTE,
});
const advised = (machine: Machine, options = {}): string | undefined => {
  const variant = advise(knownPairs, machine, { families, ...options });
  return variant && `${pairId(variant.pair)} ${String(variant.bits)}`;
};

function memoryOf(variant: PairVariant, machine: Machine): InputError | undefined {
  const { pair, bits } = variant;
  const name = `${pair.name} with ${String(bits)} bits`;
  return memoryProblem(neededMemory(variant, machine.processor), name, machine);
}

describe('advise', () => {
  it('prefers the pair for infilling, then the largest that fits, with few bits', () => {
    assert.equal(advised(mac(64)), 'qwen3-coder-30b-a3b 4');
    assert.equal(advised(mac(16)), 'qwen3.5-9b 4');
    assert.equal(advised(mac(8)), 'qwen3.5-4b 4');
    assert.equal(advised(mac(4)), undefined);
  });

  it('names only what fits, whatever the machine', () => {
    for (let memory = 1; memory <= 256; memory *= 1.3)
      for (const processor of ['cpu', 'gpu'] as const) {
        const machine = { ...mac(memory), processor };
        const variant = advise(knownPairs, machine, { families });
        const fitting = knownPairs.flatMap(variantsOf).filter((each) => !memoryOf(each, machine));
        assert.equal(variant === undefined, fitting.length === 0);
        if (variant) assert.ok(fitting.some((each) => each.target === variant.target));
      }
  });

  it('leaves out what does not load here, and what the disk has no room for unless it is there', () => {
    assert.equal(advised(mac(16), { families: ['qwen3'] }), 'qwen3-8b 4');
    assert.equal(advised(mac(16), { families: [] }), undefined);
    assert.equal(advised(mac(64, 10)), 'qwen3.5-9b 4');
    assert.equal(advised(mac(64, 10), { isDownloaded: () => true }), 'qwen3-coder-30b-a3b 4');
  });

  it('names the smallest on a CPU, where weights are float32', () => {
    const machine = { ...mac(400), processor: 'cpu' } as const;
    assert.equal(advised(machine), 'qwen3-4b 4');
    const [four, eight] = variantsOf(pairById('Qwen3-4B') ?? assert.fail());
    assert.ok(four && eight);
    assert.equal(neededMemory(four, 'cpu'), neededMemory(eight, 'cpu'));
    assert.ok(neededMemory(four, 'cpu') > 4 * neededMemory(four, 'gpu'));
  });
});

describe('a problem', () => {
  const config = (object: object): ConfigFields => new ConfigFields('config.json', { ...object });
  const loadable = { targets: ['qwen3'], drafters: ['DFlashDraftModel'] };

  it('is too little disk or memory', () => {
    assert.match(
      diskProblem(9e9, mac(64, 9), '/cache')?.message ?? '',
      /^Expected 9.0 GB free in \/cache, got 9.0/,
    );
    assert.equal(diskProblem(9e9, mac(64, 10), '/cache'), undefined);
    assert.equal(diskProblem(0, mac(64, 0), '/cache'), undefined);
    const [, , whole] = variantsOf(pairById('qwen3-8b') ?? assert.fail());
    assert.ok(whole);
    assert.match(memoryOf(whole, mac(16))?.message ?? '', /Qwen3 8B with 16 bits.*got 12.0 GB .* of 16.0 GB/);
    assert.equal(memoryOf(whole, mac(64)), undefined);
  });

  it('is a type that does not load', () => {
    const message = familyProblem(config({ model_type: 'mamba' }), 'a/b', loadable)?.message ?? '';
    assert.match(message, /a\/b .*\(qwen3\), got model_type mamba/);
    assert.match(familyProblem(config({}), 'a/b', loadable)?.message ?? '', /got model_type none/);
    assert.equal(familyProblem(config({ model_type: 'qwen3' }), 'a/b', loadable), undefined);
    const drafter = config({ model_type: 'other', architectures: ['DFlashDraftModel'] });
    assert.equal(familyProblem(drafter, 'a/b', loadable), undefined);
  });

  it('is a drafter whose config names another target by its hash', () => {
    const target = config({
      hidden_size: 8,
      rope_theta: 1e6,
      rms_norm_eps: 1e-6,
      vocab_size: 16,
      dtype: 'x',
    });
    const canonical = '{"hidden_size":8,"rms_norm_eps":0.000001,"rope_theta":1000000,"vocab_size":16}';
    const hash = createHash('sha256').update(canonical).digest('hex');
    assert.equal(targetHash(target), hash);
    const drafter = (target_config_sha256: string): ConfigFields =>
      config({ hidden_size: 8, dflash_config: { target_config_sha256 } });
    assert.equal(drafterProblem(target, drafter(hash)), undefined);
    assert.equal(drafterProblem(config({ text_config: target.object }), drafter(hash)), undefined);
    const other = drafterProblem(target, drafter('0'.repeat(64)))?.message ?? '';
    assert.match(other, /^Expected a target with the hash 0{64}.*; choose the drafter that was made for/);
  });

  it('is a drafter of another target', () => {
    const target = config({ hidden_size: 8, vocab_size: 16, num_hidden_layers: 4 });
    const drafter = { hidden_size: 8, vocab_size: 16, num_target_layers: 4 };
    assert.equal(drafterProblem(target, config(drafter)), undefined);
    assert.equal(drafterProblem(config({ text_config: target.object }), config(drafter)), undefined);
    for (const field of Object.keys(drafter)) {
      const other = config({ ...drafter, [field]: 5 });
      assert.match(drafterProblem(target, other)?.message ?? '', new RegExp(`^Expected ${field} .*, got 5;`));
      assert.ok(drafterProblem(config({ text_config: target.object }), other));
    }
  });
});
