// Tests that @huggingface/hub is loaded only when it is needed, and why its scan of the cache is not used.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { scanCacheDir } from '@huggingface/hub';
import { downloadedModels, unfinishedModels } from '../../server/hub/downloadedModels';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { downloaded } from '../support/hub/downloaded';
import { temporaryFolder } from '../support/temporaryFolder';

const MODEL = 'made-up/model';

describe('the package @huggingface/hub', () => {
  it('is not loaded when the server starts, and neither is an HTTP client', () => {
    const modules = ['programs/composition', 'lsp/modelRequests', 'hub/catalogue', 'hub/download'];
    const script = `for (const path of ${JSON.stringify(modules.map((name) => resolve(`out/server/${name}`)))})
      require(path);
      console.log(Object.keys(require.cache).filter((file) => /node_modules.(@huggingface.hub|undici)\\W/.test(file)).length);`;
    assert.equal(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }), '0\n');
  });

  // The scan of the package misses models that load, which must be offered, and partial ones, which must be resumed.
  describe('the cache scan of the package, which is not used', () => {
    let cache: string;
    let repository: RepositoryCache;
    beforeEach(() => {
      cache = temporaryFolder();
      downloaded(cache, MODEL);
      repository = new RepositoryCache(cache, MODEL);
    });
    const names = (): string[] => downloadedModels(cache).map(({ name }) => name);
    const scanned = async (): Promise<string[]> => (await scanCacheDir(cache)).repos.map(({ id }) => id.name);

    it("finds a complete model, as Flashline's own scan does", async () => {
      assert.deepEqual(names(), [MODEL]);
      assert.deepEqual(await scanned(), [MODEL]);
    });

    it('misses a model that was downloaded by its commit, without a branch', async () => {
      rmSync(join(repository.folder, 'refs'), { recursive: true });
      assert.deepEqual(names(), [MODEL]);
      assert.deepEqual(await scanned(), []);
    });

    it('misses a model with a link to a missing file', async () => {
      const [commit = ''] = repository.commits();
      symlinkSync('gone', join(repository.snapshot(commit), 'README.md'));
      assert.deepEqual(names(), [MODEL]);
      assert.deepEqual(await scanned(), []);
    });

    it('misses all models next to a link to a missing folder', async () => {
      symlinkSync('gone', join(cache, 'models--another--model'));
      assert.deepEqual(names(), [MODEL]);
      await assert.rejects(scanned(), /ENOENT/);
    });

    it('does not list a partly downloaded model', async () => {
      const unfinished = new RepositoryCache(cache, 'made-up/begun');
      mkdirSync(unfinished.blobs, { recursive: true });
      writeFileSync(unfinished.partial('a'.repeat(64)), 'half');
      assert.deepEqual(unfinishedModels(cache), ['made-up/begun']);
      assert.deepEqual(await scanned(), [MODEL]);
    });
  });
});
