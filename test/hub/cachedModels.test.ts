// Tests downloaded models without a network: finding, verifying, naming and removing them.
import assert from 'node:assert/strict';
import fs, {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { mock } from 'node:test';
import type { UserError } from '../../server/rules/userError';
import { downloadedModel, downloadedModels, requireDownloaded } from '../../server/hub/downloadedModels';
import { removeModel } from '../../server/hub/removeModel';
import { writeSnapshot } from '../../server/hub/snapshot';
import { verifyModel } from '../../server/hub/verifyModel';
import { planDownload } from '../../server/hub/downloadPlan';
import { pairDirectories, repositoryOf } from '../../server/hub/pairDirectories';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { COMMIT, HubServer } from '../support/hub/hubServer';
import { connectionTo, MODEL, madeUpModel, pull, SHARDS } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const NEXT = 'beef'.repeat(10);
const signal = new AbortController().signal;

describe('cached models', () => {
  let server: HubServer;
  let cache: string;
  let repository: RepositoryCache;
  before(async () => (server = await HubServer.start({ [MODEL]: model })));
  beforeEach(async () => {
    server.commit = COMMIT;
    cache = temporaryFolder();
    repository = new RepositoryCache(cache, MODEL);
    await pull(connectionTo(server), cache);
    server.requests.length = 0;
  });
  const states = async (): Promise<Record<string, string>> => {
    const downloaded = downloadedModel(cache, MODEL) ?? assert.fail();
    const byName: Record<string, string> = {};
    for await (const { name, state } of verifyModel(cache, downloaded, signal)) byName[name] = state;
    return byName;
  };

  it('are not found when one of their files is missing, a pipe or outside their folder', () => {
    const shard = join(repository.snapshot(COMMIT), SHARD);
    const index = join(repository.snapshot(COMMIT), 'model.safetensors.index.json');
    const link = readlinkSync(shard);
    rmSync(shard);
    assert.equal(downloadedModel(cache, MODEL), undefined);
    if (process.platform !== 'win32') {
      assert.equal(spawnSync('mkfifo', [shard]).status, 0);
      assert.equal(downloadedModel(cache, MODEL), undefined);
      rmSync(shard);
    }
    symlinkSync(link, shard);
    assert.ok(downloadedModel(cache, MODEL));
    rmSync(index);
    writeFileSync(index, JSON.stringify({ weight_map: { a: SHARD, b: '../../../outside/x.safetensors' } }));
    assert.equal(downloadedModel(cache, MODEL), undefined);
  });

  it('are found without a network, also in the layout of other tools', () => {
    assert.deepEqual(
      downloadedModels(cache).map(({ name }) => name),
      [MODEL],
    );
    // The model was downloaded by commit, or copied where links are not possible.
    rmSync(repository.ref('main'));
    assert.equal(downloadedModel(cache, MODEL)?.commit, COMMIT);
    const copied = join(temporaryFolder(), 'copy');
    cpSync(repository.snapshot(COMMIT), copied, { recursive: true, dereference: true });
    rmSync(repository.folder, { recursive: true });
    mkdirSync(join(repository.folder, 'snapshots'), { recursive: true });
    renameSync(copied, repository.snapshot(COMMIT));
    assert.equal(downloadedModel(cache, MODEL)?.directory, repository.snapshot(COMMIT));
    assert.equal(server.requests.length, 0);
  });

  it('are those of the main branch, otherwise of the newest complete revision', () => {
    cpSync(repository.snapshot(COMMIT), repository.snapshot(NEXT), { recursive: true });
    utimesSync(repository.snapshot(COMMIT), 2000, 2000);
    utimesSync(repository.snapshot(NEXT), 1000, 1000);
    writeFileSync(repository.ref('main'), NEXT);
    assert.equal(downloadedModel(cache, MODEL)?.commit, NEXT);
    for (const text of ['', 'no commit', 'f'.repeat(40)]) {
      writeFileSync(repository.ref('main'), text);
      assert.equal(downloadedModel(cache, MODEL)?.commit, COMMIT);
    }
    writeFileSync(repository.ref('main'), NEXT);
    rmSync(join(repository.snapshot(NEXT), 'tokenizer.json'));
    assert.equal(downloadedModel(cache, MODEL)?.commit, COMMIT);
    assert.equal(removeModel(cache, MODEL)?.revisionsLeft, 1, 'removes the revision that is listed');
    assert.deepEqual(downloadedModels(cache), []);
  });

  for (const missing of ['config.json', 'tokenizer.json', ...SHARDS]) {
    it(`are not found without ${missing}, or with a link to a missing file`, () => {
      const path = join(repository.snapshot(COMMIT), missing);
      const blob = realpathSync(path);
      renameSync(blob, `${blob}.away`);
      assert.equal(downloadedModel(cache, MODEL), undefined);
      assert.throws(
        () => pairDirectories(MODEL, '', { cache }),
        new RegExp(`no complete download of .* \\(${missing} is missing\\)`),
      );
      rmSync(path);
      assert.equal(downloadedModel(cache, MODEL), undefined);
      assert.deepEqual(downloadedModels(cache), []);
    });
  }

  it('are reported as missing without a file name when they have no files', () => {
    assert.throws(
      () => requireDownloaded(temporaryFolder(), 'made-up/nothing'),
      /made-up\/nothing in [^(]*\. /,
    );
  });

  it('are not found with an unreadable index', () => {
    const index = realpathSync(join(repository.snapshot(COMMIT), 'model.safetensors.index.json'));
    writeFileSync(index, '{"weight_map":');
    assert.equal(downloadedModel(cache, MODEL), undefined);
  });

  it('need no tokenizer when they are drafters', () => {
    const drafter = repository.snapshot(NEXT);
    mkdirSync(drafter);
    writeFileSync(join(drafter, 'config.json'), '{"architectures":["DFlashDraftModel"]}');
    writeFileSync(join(drafter, 'model.safetensors'), '');
    rmSync(repository.snapshot(COMMIT), { recursive: true });
    assert.equal(downloadedModel(cache, MODEL)?.commit, NEXT);
  });

  it('are not found without a tokenizer when their architecture is not that of a supported drafter', () => {
    rmSync(join(repository.snapshot(COMMIT), 'tokenizer.json'));
    for (const architectures of [['Eagle3DraftModel'], ['Qwen3ForCausalLM', 'DFlashDraftModel']]) {
      const config = { model_type: 'qwen3', architectures };
      writeFileSync(realpathSync(join(repository.snapshot(COMMIT), 'config.json')), JSON.stringify(config));
      assert.deepEqual(downloadedModels(cache), []);
      assert.throws(
        () => pairDirectories(MODEL, '', { cache }),
        /no complete download of .* \(tokenizer\.json is missing\)/,
      );
    }
  });

  it('are verified when they are copies, except files that match no blob', async () => {
    const path = join(repository.snapshot(COMMIT), SHARD);
    const bytes = readFileSync(path);
    rmSync(path);
    writeFileSync(path, bytes);
    // Small files have another kind of checksum.
    const small = join(repository.snapshot(COMMIT), 'tokenizer_config.json');
    rmSync(small);
    writeFileSync(small, model.files['tokenizer_config.json'] ?? '');
    assert.deepEqual(new Set(Object.values(await states())), new Set(['right']));
    writeFileSync(path, 'mine');
    assert.equal((await states())[SHARD], 'unknown');
    rmSync(path);
    symlinkSync(join(process.cwd(), 'package.json'), path);
    assert.equal((await states())[SHARD], 'unknown');
  });

  it('reject their verification with the reason of an abort', async () => {
    const downloaded = downloadedModel(cache, MODEL) ?? assert.fail();
    const aborted = AbortSignal.abort('interrupted');
    await assert.rejects(
      verifyModel(cache, downloaded, aborted).next(),
      (reason) => reason === 'interrupted',
    );
  });

  it('are reported as damaged in each file that links to the same wrong bytes', async () => {
    const config = join(repository.snapshot(COMMIT), 'generation_config.json');
    const other = join(repository.snapshot(COMMIT), 'tokenizer_config.json');
    rmSync(other);
    symlinkSync(readlinkSync(config), other);
    writeFileSync(realpathSync(config), '[]');
    const { 'generation_config.json': first, 'tokenizer_config.json': second, ...rest } = await states();
    assert.deepEqual([first, second], ['damaged', 'damaged']);
    assert.deepEqual(new Set(Object.values(rest)), new Set(['right']));
    await pull(connectionTo(server), cache);
    assert.deepEqual(new Set(Object.values(await states())), new Set(['right']));
  });

  it('are assembled from copies where links are not possible', async () => {
    const { models } = await planDownload(connectionTo(server), cache, [MODEL], { signal });
    const [{ repository: planned, files } = assert.fail()] = models;
    rmSync(repository.snapshot(COMMIT), { recursive: true });
    const links = mock.method(fs, 'symlinkSync', () => assert.fail('links are not possible')).mock;
    writeSnapshot(repository, planned.commit, files);
    links.restore();
    assert.ok(links.callCount() > 0 && !lstatSync(join(repository.snapshot(COMMIT), SHARD)).isSymbolicLink());
    assert.deepEqual(new Set(Object.values(await states())), new Set(['right']));
  });

  it('keep their revision when their pair is downloaded again, unless that is an update', async () => {
    server.commit = NEXT;
    const planned = async (isUpdate: boolean) =>
      (await planDownload(connectionTo(server), cache, [MODEL], { signal, isUpdate })).models[0]?.repository
        .commit;
    assert.equal(await planned(false), COMMIT);
    assert.equal(await planned(true), NEXT);
    rmSync(join(repository.snapshot(COMMIT), SHARD));
    assert.equal(await planned(false), NEXT, 'an incomplete revision is not kept');
  });

  it('are removed with all files that only they need', async () => {
    server.commit = NEXT;
    await pull(connectionTo(server), cache);
    const kept = realpathSync(join(repository.snapshot(NEXT), SHARD));
    writeFileSync(join(repository.blobs, 'f'.repeat(64)), 'an unreferenced blob');
    writeFileSync(repository.partial('a'.repeat(64)), 'half');
    const ofAnotherTool = join(repository.blobs, `${'b'.repeat(64)}.incomplete`);
    writeFileSync(ofAnotherTool, 'still being written');
    const { bytes = 0, revisionsLeft } = removeModel(cache, MODEL) ?? {};
    assert.equal(revisionsLeft, 1);
    assert.equal(bytes, 'an unreferenced blob'.length + 'half'.length);
    assert.equal(repository.commitOf('main'), undefined);
    assert.deepEqual(repository.partials(), []);
    assert.ok(existsSync(ofAnotherTool));
    assert.ok(readFileSync(kept).equals(model.files[SHARD] ?? Buffer.alloc(0)));
    assert.equal(downloadedModel(cache, MODEL)?.commit, COMMIT);
    assert.ok((removeModel(cache, MODEL)?.bytes ?? 0) > 600_000);
    assert.deepEqual(downloadedModels(cache), []);
    for (const folder of [repository.folder, repository.locks]) assert.ok(!existsSync(folder));
    assert.equal(removeModel(cache, MODEL), undefined);
    mkdirSync(repository.blobs, { recursive: true });
    writeFileSync(repository.partial('a'.repeat(64)), 'half');
    assert.deepEqual(removeModel(cache, MODEL), { bytes: 'half'.length, revisionsLeft: 0 });
    assert.ok(!existsSync(repository.folder));
  });

  it('lose no blob that a revision with copies of files could need', async () => {
    const path = join(repository.snapshot(COMMIT), SHARD);
    rmSync(path);
    writeFileSync(path, model.files[SHARD] ?? '');
    server.commit = NEXT;
    await pull(connectionTo(server), cache);
    const unreferenced = join(repository.blobs, 'f'.repeat(64));
    writeFileSync(unreferenced, 'perhaps what was copied');
    assert.deepEqual(removeModel(cache, MODEL), { bytes: 0, revisionsLeft: 1 });
    assert.ok(existsSync(unreferenced));
    assert.equal(downloadedModel(cache, MODEL)?.commit, COMMIT);
  });

  it('count the finished files of an unfinished download when they are removed', () => {
    rmSync(repository.snapshot(COMMIT), { recursive: true });
    writeFileSync(repository.partial('a'.repeat(64)), 'half');
    const { bytes = 0, revisionsLeft } = removeModel(cache, MODEL) ?? {};
    assert.equal(revisionsLeft, 0);
    assert.ok(bytes > 600_000);
    assert.equal(existsSync(repository.folder), false);
  });

  it('keep the tags of other revisions when one revision is removed', async () => {
    writeFileSync(repository.ref('v1'), COMMIT);
    server.commit = NEXT;
    await pull(connectionTo(server), cache);
    writeFileSync(repository.ref('v2'), NEXT);
    assert.equal(removeModel(cache, MODEL)?.revisionsLeft, 1);
    assert.deepEqual(
      ['main', 'v1', 'v2'].map((tag) => repository.commitOf(tag)),
      [undefined, COMMIT, undefined],
    );
  });

  it('are found by name, unless a folder has the same name', () => {
    const targetOf = (name: string) => pairDirectories(name, '', { cache }).targetDirectory;
    assert.equal(targetOf(MODEL), repository.snapshot(COMMIT));
    assert.equal(repositoryOf(repository.snapshot(COMMIT)), 'model');
    assert.equal(repositoryOf(join('models--a--b', 'config')), undefined);
    for (const name of ['made-up/other', 'server/hub', 'media']) assert.equal(targetOf(name), resolve(name));
    for (const name of ['qwen3-4b', 'Qwen/Qwen3-4B'])
      assert.throws(
        () => pairDirectories(name, '', { cache }),
        ({ command }: UserError) => command === `flashline models pull ${name}`,
      );
  });
});
