// Tests the checks of a model before its download and load: disk, memory, config, quantisation and drafter.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { diskProblem, memoryProblem } from '../../server/machine/thisMachine';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { memoryNeed } from '../../server/hub/estimates';
import { loadable } from '../../server/models/families/registry';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { drafterProblem, targetHash } from '../../server/models/checkpoint/targetHash';
import { planDownload } from '../../server/hub/downloadPlan';
import { planProblems } from '../../server/hub/modelProblems';
import { requireMlxQuantisation } from '../../server/models/checkpoint/foreignQuantisation';
import { UserError } from '../../server/rules/userError';
import { HubServer } from '../support/hub/hubServer';
import { connectionTo, madeUpModel, MODEL } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';
import { macWith } from '../support/hub/macWith';
import { tinyTarget } from '../support/tinyCheckpoint';

/** Returns the problem of a quantisation. Checks nothing else: the made-up model's config lacks fields. */
function quantisationProblem(fields: ConfigFields): UserError | undefined {
  try {
    requireMlxQuantisation(fields);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error;
  }
}

describe('the check of a model', () => {
  const config = (object: object): ConfigFields => new ConfigFields('config.json of a/b', { ...object });

  it('reports too little disk space or memory', () => {
    assert.match(
      diskProblem(9e9, macWith(64, 9), '/cache')?.message ?? '',
      /^Expected 9.0 GB free in \/cache, got 9.0/,
    );
    assert.equal(diskProblem(9e9, macWith(64, 10), '/cache'), undefined);
    assert.equal(diskProblem(0, macWith(64, 0), '/cache'), undefined);
    const [, , unquantised] = variantsOf(pairById('qwen3-8b') ?? assert.fail());
    assert.ok(unquantised);
    const needed = memoryNeed(unquantised.sizes, 'gpu');
    assert.match(
      memoryProblem(needed, 'Qwen3 8B', macWith(16))?.message ?? '',
      /^Expected .* for Qwen3 8B on the gpu, got 10.7 GB .* of 16.0 GB/,
    );
    assert.equal(memoryProblem(needed, 'Qwen3 8B', macWith(64)), undefined);
  });

  it('reports a config that does not load, in any family', () => {
    const { config: tinyConfig } = tinyTarget();
    const problem = (fields: object) => loadable.problemOf(config({ ...tinyConfig, ...fields }))?.message;
    assert.equal(problem({ model_type: 'unheard_of', architectures: ['Unheard'] }), undefined);
    assert.equal(problem({ model_type: 'other', architectures: ['DFlashDraftModel'] }), undefined);
    const foreign = { quantization_config: { quant_method: 'fp8' } };
    assert.match(problem(foreign) ?? '', /mlx-community/);
    assert.match(problem({ model_type: 5 }) ?? '', /^Expected a string in .*model_type/);
    const unknown = { ...foreign, model_type: 'unheard_of' };
    assert.match(problem(unknown) ?? '', /^Expected affine quantisation/);
    assert.match(problem({ ...unknown, odd_field: 1 }) ?? '', /unheard_of is not supported/);
  });

  it('reports a quantisation that only a file beside config.json names, before any weights are read', async () => {
    const { files } = madeUpModel();
    const beside = { producer: { name: 'modelopt' }, quantization: { quant_algo: 'FP8' } };
    const quantised = { ...files, 'hf_quant_config.json': Buffer.from(JSON.stringify(beside)) };
    const server = await HubServer.start({ [MODEL]: { files: quantised } });
    const { signal } = new AbortController();
    const plan = await planDownload(connectionTo(server), temporaryFolder(), [MODEL], { signal });
    const { ofModels } = planProblems(plan, {
      ...loadable,
      problemOf: (fields) => quantisationProblem(fields),
    });
    assert.match(
      ofModels[0]?.message ?? '',
      /in hf_quant_config.json of \S+, got FP8, modelopt; use a checkpoint/,
    );
    assert.ok(server.requests.every(({ path }) => !path.endsWith('.safetensors')));
  });

  it('reports a drafter whose config names another target by its hash', () => {
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
    const message = drafterProblem(target, drafter('0'.repeat(64)))?.message ?? '';
    assert.match(message, /^Expected a target with the hash 0{64}.*; choose the drafter that was made for/);
  });

  it('reports a drafter of another target', () => {
    const target = config({ hidden_size: 8, vocab_size: 16, num_hidden_layers: 4 });
    const drafter = { hidden_size: 8, vocab_size: 16, num_target_layers: 4 };
    assert.equal(drafterProblem(target, config(drafter)), undefined);
    assert.equal(drafterProblem(config({ text_config: target.object }), config(drafter)), undefined);
    for (const field of Object.keys(drafter)) {
      const mismatched = config({ ...drafter, [field]: 5 });
      assert.match(
        drafterProblem(target, mismatched)?.message ?? '',
        new RegExp(`^Expected ${field} .*, got 5;`),
      );
      assert.ok(drafterProblem(config({ text_config: target.object }), mismatched));
    }
  });
});
