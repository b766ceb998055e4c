// Tests the entries of the catalogue: which models are listed, what is known about each, and which problem is reported.
import assert from 'node:assert/strict';
import fs, { cpSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { catalogue, plannedEntry, type ModelSource } from '../../server/hub/catalogue';
import { download } from '../../server/hub/download';
import { planDownload } from '../../server/hub/downloadPlan';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { loadable } from '../../server/models/loadable';
import type { CatalogueEntry } from '../../server/protocol/modelCatalogue';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { downloaded } from '../support/hub/downloaded';
import { HubServer } from '../support/hub/hubServer';
import { connectionTo } from '../support/hub/madeUpModel';
import { servedFolder } from '../support/hub/slowPair';
import { temporaryFolder } from '../support/temporaryFolder';

const [FOUR = assert.fail(), , , SPARK = assert.fail()] = variantsOf(pairById('qwen3-4b') ?? assert.fail());
const { targetDirectory: TARGET, drafterDirectory: DRAFTER } = EMBEDDED_PAIR;

describe('the catalogue', () => {
  let cache: string;
  beforeEach(() => (cache = temporaryFolder()));
  afterEach(() => {
    mock.restoreAll();
  });

  async function entries(
    chosen?: { target: string; drafter: string },
    measured: ModelSource['measured'] = () => ({}),
  ): Promise<readonly CatalogueEntry[]> {
    const source = { cache, measured, loadable: () => Promise.resolve(loadable) };
    return (await catalogue(source, chosen)).entries;
  }
  const entryOf = async (target: string, drafter?: string): Promise<CatalogueEntry> =>
    (await entries()).find(
      (entry) => entry.target === target && (drafter === undefined || entry.drafter === drafter),
    ) ?? assert.fail(target);
  /** Returns the entries that belong to no known pair. */
  const others = async (): Promise<(readonly unknown[])[]> =>
    (await entries())
      .filter(({ kind }) => kind !== 'pair' && kind !== 'embedded')
      .map(({ kind, target, drafter, isDownloaded, isBegun }) => [
        kind,
        target,
        drafter,
        isDownloaded,
        isBegun,
      ]);

  it('lists downloads of no known pair that load here, and drafters without their target', async () => {
    downloaded(cache, 'made-up/target');
    writeFileSync(join(downloaded(cache, 'made-up/unknown'), 'config.json'), '{"model_type":"unheard_of"}');
    downloaded(cache, SPARK.drafter, 'Qwen3DSparkModel');
    assert.deepEqual(await others(), [
      ['drafter', '', SPARK.drafter, true, false],
      ['repository', 'made-up/target', 'none', true, false],
    ]);
    downloaded(cache, SPARK.target);
    assert.deepEqual(await others(), [['repository', 'made-up/target', 'none', true, false]]);
  });

  it('lists the built-in pair first, as a base model for infilling', async () => {
    const [{ kind, target, infill, isBase, isInUse } = assert.fail()] = await entries();
    assert.deepEqual([kind, target, infill, isBase, isInUse], ['embedded', '', 'fim', true, true]);
  });

  it('lists downloads of other models that have begun and are not complete', async () => {
    for (const name of ['made-up/begun', FOUR.target]) {
      const repository = new RepositoryCache(cache, name);
      mkdirSync(repository.blobs, { recursive: true });
      writeFileSync(repository.partial('a'.repeat(64)), 'half');
      writeFileSync(repository.blob('b'.repeat(40)), 'config');
    }
    downloaded(cache, 'made-up/complete');
    const complete = new RepositoryCache(cache, 'made-up/complete');
    mkdirSync(complete.blobs, { recursive: true });
    writeFileSync(complete.partial('a'.repeat(64)), 'of a newer revision');
    assert.deepEqual(await others(), [
      ['repository', 'made-up/complete', 'none', true, false],
      ['repository', 'made-up/begun', 'none', false, true],
    ]);
    const { arrivedBytes, downloadBytes } = await entryOf('made-up/begun');
    assert.deepEqual([arrivedBytes, downloadBytes], ['halfconfig'.length, undefined]);
  });

  it('reports a pair as begun with more bytes than a look-up fetches, or with an unfinished file', async () => {
    const repository = new RepositoryCache(cache, FOUR.target);
    mkdirSync(repository.blobs, { recursive: true });
    const facts = async () => {
      const { isBegun, arrivedBytes } = await entryOf(FOUR.target);
      return [isBegun, arrivedBytes];
    };
    const config = repository.blob('b'.repeat(40));
    writeFileSync(config, '');
    truncateSync(config, 8_000_000);
    assert.deepEqual(await facts(), [false, 8_000_000]);
    truncateSync(config, 8_000_001);
    assert.deepEqual(await facts(), [true, 8_000_001]);
    truncateSync(config, 5);
    writeFileSync(repository.partial('a'.repeat(64)), '');
    assert.deepEqual(await facts(), [true, 5]);
  });

  it('has the estimated size of a pair before its download, and the exact one after it', async () => {
    const { downloadBytes: estimated = 0 } = await entryOf(FOUR.target, FOUR.drafter);
    assert.ok(estimated > 3e9);
    const blobs = new RepositoryCache(cache, FOUR.target).blobs;
    mkdirSync(blobs, { recursive: true });
    const large = join(blobs, 'a'.repeat(64));
    writeFileSync(large, '');
    truncateSync(large, 9e9);
    assert.equal((await entryOf(FOUR.target, FOUR.drafter)).downloadBytes, 9e9);
    downloaded(cache, FOUR.target);
    downloaded(cache, FOUR.drafter, 'DFlashDraftModel');
    const { downloadBytes, arrivedBytes, directory } = await entryOf(FOUR.target, FOUR.drafter);
    assert.ok(downloadBytes === arrivedBytes && arrivedBytes < 1e3);
    assert.equal(directory, new RepositoryCache(cache, FOUR.target).snapshot('c'.repeat(40)));
  });

  it('names kinds only among several drafters, each licence once, and whether drafts pay', async () => {
    const [withDrafters = assert.fail()] = variantsOf(pairById('qwen3.8-27b') ?? assert.fail());
    const [withoutDrafter = assert.fail()] = variantsOf(pairById('qwen2.5-coder-7b') ?? assert.fail());
    const [withOneDrafter = assert.fail()] = variantsOf(pairById('qwen3-14b') ?? assert.fail());
    const facts = async (target: string, drafter: string) => {
      const { drafterKind, license, draftsPay } = await entryOf(target, drafter);
      return [drafterKind, license, typeof draftsPay];
    };
    assert.deepEqual(await facts(withDrafters.target, withDrafters.drafter), [
      'DFlash2',
      'Apache-2.0',
      'boolean',
    ]);
    assert.deepEqual(await facts(withoutDrafter.target, 'none'), [undefined, 'Apache-2.0', 'undefined']);
    assert.deepEqual(await facts(withOneDrafter.target, withOneDrafter.drafter), [
      undefined,
      'Apache-2.0, none stated for the drafter',
      'boolean',
    ]);
  });

  it('prefers measured speeds of downloaded models', async () => {
    downloaded(cache, 'made-up/target');
    const measured = () => ({ tokensPerSecond: 30, draftedTokensPerSecond: 70 });
    const listed = await entries(undefined, measured);
    const [embedded, other] = ['embedded', 'made-up/target'].map((name) =>
      listed.find((entry) => entry.name === name),
    );
    for (const entry of [embedded, other]) {
      assert.deepEqual(entry?.speed, { class: 'moderate', tokensPerSecond: 30, isMeasured: true });
      assert.equal(entry.draftedTokensPerSecond, 70);
    }
    assert.ok(listed.every(({ kind, speed }) => kind !== 'pair' || speed?.isMeasured === false));
    const isRecommended = listed.filter((entry) => entry.isRecommended);
    assert.equal(isRecommended.length, 1, 'the built-in pair is recommended where no other is');
  });

  it('recommends on a CPU the one variant that was measured to be fast with drafts', async function () {
    if (process.platform === 'darwin') this.skip();
    mock.method(os, 'totalmem', () => 64e9);
    mock.method(process, 'constrainedMemory', () => 64e9);
    downloaded(cache, FOUR.target);
    downloaded(cache, FOUR.drafter, 'DFlashDraftModel');
    const measured = () => ({ tokensPerSecond: 5, draftedTokensPerSecond: 50 });
    const recommended = (await entries(undefined, measured)).filter((entry) => entry.isRecommended);
    assert.deepEqual(
      recommended.map(({ target, drafter }) => [target, drafter]),
      [[FOUR.target, FOUR.drafter]],
    );
  });

  it('has the bits of a downloaded model, and marks models for next edits', async () => {
    const config = { model_type: 'qwen3', quantization: { bits: 4, group_size: 64 } };
    writeFileSync(join(downloaded(cache, 'made-up/target'), 'config.json'), JSON.stringify(config));
    assert.equal((await entryOf('made-up/target')).bits, 4);
    assert.equal((await entryOf('zed-industries/zeta-2.1')).isNextEdit, true);
    assert.equal((await entryOf(FOUR.target)).isNextEdit, undefined);
  });

  it('lists the chosen pair by the name of its folder or repository', async () => {
    const folder = join(temporaryFolder(), 'my-model');
    cpSync(TARGET, folder, { recursive: true });
    downloaded(cache, 'made-up/target');
    for (const [target, drafter, name] of [
      [folder, '', 'my-model'],
      ['', 'none', 'embedded'],
      ['', FOUR.drafter, 'embedded'],
      ['made-up/target', DRAFTER, 'target'],
      ['made-up/absent/x', '', 'x'],
    ] as const) {
      const [first] = await entries({ target, drafter });
      assert.deepEqual(
        [first?.kind, first?.name, first?.target, first?.drafter, first?.isInUse],
        ['folder', name, target, drafter, true],
      );
    }
  });

  it('reports too little memory with the bits of the model, or otherwise a disk too full for missing files', async () => {
    mock.method(fs, 'statfsSync', () => ({ bavail: 0, bsize: 4096 }));
    downloaded(cache, FOUR.target);
    downloaded(cache, FOUR.drafter, 'DFlashDraftModel');
    downloaded(cache, 'made-up/target');
    mock.method(process, 'constrainedMemory', () => 64e9);
    mock.method(os, 'totalmem', () => 64e9);
    for (const target of ['', 'made-up/target']) assert.equal((await entryOf(target)).problem, undefined);
    assert.equal((await entryOf(FOUR.target, FOUR.drafter)).problem, undefined);
    assert.match((await entryOf(FOUR.target, SPARK.drafter)).problem ?? '', / free in /);
    mock.method(process, 'constrainedMemory', () => 1e9);
    assert.match(
      (await entryOf(FOUR.target, SPARK.drafter)).problem ?? '',
      /of memory for Qwen3 4B at 4 bits on/,
    );
  });

  it('describes a planned download', async () => {
    const server = await HubServer.start({
      'made-up/target': { ...servedFolder(TARGET), license: 'mit' },
      'made-up/drafter': { ...servedFolder(DRAFTER), license: 'mit' },
    });
    const { signal } = new AbortController();
    const planned = async (...names: readonly string[]): Promise<CatalogueEntry> =>
      plannedEntry(await planDownload(connectionTo(server), cache, names, { signal }), loadable);
    const pair = await planned('made-up/target', 'made-up/drafter');
    const { kind, name, target, drafter, repositories, license, isDownloaded, isBegun } = pair;
    assert.deepEqual(
      { kind, name, target, drafter, repositories, license, isDownloaded, isBegun },
      {
        kind: 'repository',
        name: 'made-up/target',
        target: 'made-up/target',
        drafter: 'made-up/drafter',
        repositories: ['made-up/target', 'made-up/drafter'],
        license: 'mit',
        isDownloaded: false,
        isBegun: false,
      },
    );
    const alone = await planned('made-up/drafter');
    assert.deepEqual([alone.kind, alone.target, alone.drafter], ['drafter', '', 'made-up/drafter']);
    assert.equal((await planned('made-up/target')).drafter, 'none');
    const repository = new RepositoryCache(cache, 'made-up/target');
    writeFileSync(repository.partial('a'.repeat(64)), '');
    assert.equal((await planned('made-up/target', 'made-up/drafter')).isBegun, true);
    const plan = await planDownload(connectionTo(server), cache, ['made-up/drafter'], { signal });
    await download(connectionTo(server), plan, { signal });
    const complete = await planned('made-up/drafter');
    assert.deepEqual(
      [complete.isDownloaded, complete.isBegun, complete.arrivedBytes],
      [true, false, plan.bytes],
    );
  });

  it('describes the problem of a planned model, but a full disk first', async () => {
    const { files } = servedFolder(TARGET);
    const config = JSON.stringify({ model_type: 'mamba', architectures: ['MambaForCausalLM'] });
    const server = await HubServer.start({
      'made-up/target': { files: { ...files, 'config.json': Buffer.from(config) } },
    });
    const { signal } = new AbortController();
    const plan = await planDownload(connectionTo(server), cache, ['made-up/target'], { signal });
    assert.match(plannedEntry(plan, loadable).problem ?? '', /^Mamba is not supported; /);
    mock.method(fs, 'statfsSync', () => ({ bavail: 0, bsize: 4096 }));
    assert.match(plannedEntry(plan, loadable).problem ?? '', / free in /);
  });
});
