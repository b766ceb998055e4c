// Tests the checks of a model before its download and load: disk, memory, config, quantisation and drafter.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { mock } from 'node:test';
import { diskProblem, memoryProblem } from '../../server/hub/roomProblems';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { memoryNeed } from '../../server/hub/estimates';
import { loadable } from '../../server/models/loadable';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { drafterProblem, targetHash } from '../../server/models/checkpoint/targetHash';
import { planDownload } from '../../server/hub/downloadPlan';
import { DownloadError } from '../../server/hub/downloadError';
import { checkPlan, planProblems } from '../../server/hub/modelProblems';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import {
  requireMlxQuantisation,
  withQuantisationOfOtherFiles,
} from '../../server/models/checkpoint/foreignQuantisation';
import { UserError } from '../../server/rules/userError';
import { HubServer, sha256, type ServedRepository } from '../support/hub/hubServer';
import { connectionTo, madeUpModel, MODEL } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';
import { macWith } from '../support/hub/macWith';
import { servedFolder } from '../support/hub/slowPair';
import { tinyTarget, writeCheckpoint } from '../support/tinyCheckpoint';

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
      /^Expected 9.3 GB free in \/cache, got 9.0/,
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

  it('reports a quantised drafter that does not load', () => {
    const drafter = { architectures: ['DFlashDraftModel'], quantization_config: { quant_algo: 'NVFP4' } };
    assert.match(loadable.problemOf(config(drafter))?.message ?? '', /affine quantisation .* got NVFP4/);
    const speculators = {
      speculators_model_type: 'dflash',
      aux_hidden_state_layer_ids: [1],
      transformer_layer_config: { dtype: 'float8_e4m3fn' },
    };
    assert.match(
      loadable.problemOf(config(speculators))?.message ?? '',
      /affine quantisation .* float8_e4m3fn/,
    );
  });

  it('reports a drafter of another network by a field of either form, as loading does', () => {
    const speculators = {
      speculators_model_type: 'dflash',
      aux_hidden_state_layer_ids: [1],
      transformer_layer_config: {},
    };
    for (const form of [{ architectures: ['DFlashDraftModel'] }, speculators]) {
      const problem = (fields: object) => loadable.problemOf(config({ ...form, ...fields }))?.message ?? '';
      for (const [name, value] of [
        ['draft_ffn_type', 'moe'],
        ['logit_scale', 2],
        ['attention_modes', ['gqa', 'mla']],
        ['n_routed_experts', 8],
      ] as const) {
        const expected = new RegExp(`^Expected ${name} .*; use a drafter of the usual form`);
        assert.match(problem({ [name]: value }), expected);
        assert.match(problem({ dflash_config: { [name]: value } }), expected);
      }
      for (const attention_modes of [['gqa', 'gqa'], ['mha', null], [], [null], null])
        assert.equal(problem({ attention_modes }), '');
      // The default of speculators, or that of a target with experts.
      assert.equal(problem({ draft_ffn_type: 'dense', num_experts: 256 }), '');
    }
  });

  it('reports a quantised drafter in the form of speculators by the file beside config.json', () => {
    const speculators = config({
      speculators_model_type: 'dflash',
      aux_hidden_state_layer_ids: [1],
      transformer_layer_config: {},
    });
    for (const [file, format] of [
      ['quantize_config.json', 'GPTQ'],
      ['quant_config.json', 'AWQ'],
      ['quantization_config.json', 'an unknown format'],
    ] as const) {
      const beside = new ConfigFields(`${file} of a/b`, { bits: 4, group_size: 128 });
      assert.match(
        loadable.problemOf(withQuantisationOfOtherFiles(speculators, [beside]))?.message ?? '',
        new RegExp(`affine quantisation .* in ${file} of a/b, got ${format};`),
      );
    }
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

  describe('before its download', () => {
    const { config: targetConfig, tensors } = tinyTarget();
    const { files } = servedFolder(writeCheckpoint({ config: targetConfig, tensors }));
    const complete = { ...files, 'tokenizer.json': Buffer.from('{}') };
    const { signal } = new AbortController();
    let server: HubServer;
    let cache: string;
    beforeEach(() => (cache = temporaryFolder()));
    afterEach(() => {
      mock.restoreAll();
    });
    const check = async (served: ServedRepository['files'], force = false) => {
      server = await HubServer.start({ [MODEL]: { files: served } });
      const plan = await planDownload(connectionTo(server), cache, [MODEL], { signal });
      return await checkPlan(connectionTo(server), plan, { loadable, force, signal });
    };
    const headerRanges = (): (string | undefined)[] =>
      server.requests.filter(({ path }) => path.endsWith('.safetensors')).map(({ range }) => range);

    /** Returns weights with a header of 300 kB. */
    const longHeader = (): Buffer => {
      const weights = files['model.safetensors'] ?? assert.fail();
      const start = 8 + Number(weights.readBigUInt64LE());
      const header = weights.subarray(8, start).toString().padEnd(300_000);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      return Buffer.concat([length, Buffer.from(header), weights.subarray(start)]);
    };

    it('reads a header of 300 kB in two requests', async () => {
      assert.deepEqual(await check({ ...complete, 'model.safetensors': longHeader() }), []);
      assert.deepEqual(headerRanges(), ['bytes=0-262143', 'bytes=0-300007']);
    });

    it('waits for no more than a header from a host that sends whole files', async () => {
      const weights = longHeader();
      server = await HubServer.start({ [MODEL]: { files: { ...complete, 'model.safetensors': weights } } });
      const hub = connectionTo(server, { stallMs: 5_000 });
      const plan = await planDownload(hub, cache, [MODEL], { signal });
      server.answer('model.safetensors', (response) => {
        response.writeHead(200, { 'content-length': weights.length }).write(weights.subarray(0, -1));
      });
      assert.deepEqual(await checkPlan(hub, plan, { loadable, force: false, signal }), []);
      assert.equal(headerRanges().length, 2);
    });

    it('accepts a drafter, which has no embedding table of its own', async () => {
      const { files: drafter } = servedFolder('test/fixtures/drafters/dflash');
      assert.deepEqual(await check(drafter), []);
      assert.equal(headerRanges().length, 1);
    });

    it('reads no header once a download of the weights has begun', async () => {
      const repository = new RepositoryCache(cache, MODEL);
      mkdirSync(repository.blobs, { recursive: true });
      writeFileSync(repository.partial(sha256(files['model.safetensors'] ?? assert.fail())), 'x');
      assert.deepEqual(await check(complete), []);
      assert.deepEqual(headerRanges(), []);
    });

    it('reports too little memory and a config that does not load; force ignores both, but no full disk', async () => {
      const unsupported = { ...targetConfig, quantization_config: { quant_method: 'fp8' } };
      const wrong = { ...complete, 'config.json': Buffer.from(JSON.stringify(unsupported)) };
      mock.method(process, 'constrainedMemory', () => 1);
      await assert.rejects(check(wrong), (error) => {
        assert.ok(error instanceof DownloadError && error.reason === 'problem');
        assert.match(error.message, /config\.json of made-up\/model/);
        return true;
      });
      await assert.rejects(check(complete), /of memory for made-up\/model on the/);
      assert.deepEqual(
        (await check(wrong, true)).map(({ message }) => /config\.json of|of memory for/.exec(message)?.[0]),
        ['config.json of', 'of memory for'],
      );
      assert.deepEqual(headerRanges(), []);
      mock.method(fs, 'statfsSync', () => ({ bavail: 0, bsize: 4096 }));
      await assert.rejects(check(wrong, true), /free in .*HF_HUB_CACHE/);
    });
  });

  it('reports a drafter whose config names another target by its hash', () => {
    const target = config({
      vocab_size: 16,
      tie_word_embeddings: false,
      rope_theta: 1e6,
      rms_norm_eps: 1e-6,
      num_key_value_heads: 1,
      num_hidden_layers: 3,
      num_attention_heads: 2,
      intermediate_size: 32,
      hidden_size: 8,
      head_dim: 4,
      dtype: 'x',
      model_type: 'qwen3',
      rope_scaling: null,
    });
    const canonical =
      '{"head_dim":4,"hidden_size":8,"intermediate_size":32,"num_attention_heads":2,"num_hidden_layers":3,' +
      '"num_key_value_heads":1,"rms_norm_eps":0.000001,"rope_theta":1000000,"tie_word_embeddings":false,"vocab_size":16}';
    const hash = createHash('sha256').update(canonical).digest('hex');
    assert.equal(targetHash(target), hash);
    const drafter = (target_config_sha256: string): ConfigFields =>
      config({ hidden_size: 8, dflash_config: { target_config_sha256 } });
    assert.equal(drafterProblem(target, drafter(hash)), undefined);
    assert.equal(drafterProblem(target, drafter(hash.toUpperCase())), undefined);
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

  it('reports a field of a drafter that is not a number', () => {
    const target = config({ hidden_size: 8, vocab_size: 16, num_hidden_layers: 4 });
    const message = drafterProblem(target, config({ hidden_size: 'x' }))?.message ?? '';
    assert.match(message, /^Expected .*hidden_size.*, got "?x"?;/);
  });
});
