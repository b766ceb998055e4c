// Tests two downloads of one model into one cache, in one process and in two, and what a killed or sleeping process
// leaves.
import assert from 'node:assert/strict';
import fs, { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import type { DownloadProgress } from '../../server/protocol/modelCatalogue';
import { until } from '../editor/waiting';
import { HubServer, sendBytes, sha256 } from '../support/hub/hubServer';
import { assertWhole, connectionTo, MODEL, madeUpModel, pull, SHARDS } from '../support/hub/madeUpModel';
import { exitCode, spawnPull } from '../support/hub/spawnPull';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const shardBytes = model.files[SHARD] ?? Buffer.alloc(0);
const SHARD_SUM = sha256(shardBytes);
const BEGINNING = 1000;

describe('two downloads of one model', () => {
  let server: HubServer;
  let cache: string;
  let repository: RepositoryCache;
  /** Sends the rest of the shard after its beginning. */
  let sendRest: () => void;
  beforeEach(async () => {
    server = await HubServer.start({ [MODEL]: model });
    cache = temporaryFolder();
    repository = new RepositoryCache(cache, MODEL);
    const released = new Promise<void>((resolve) => (sendRest = resolve));
    server.answer(SHARD, (response) => {
      sendBytes(response.req, response, shardBytes, (to, part) => {
        to.write(part.subarray(0, BEGINNING));
        void released.then(() => to.end(part.subarray(BEGINNING)));
      });
    });
  });
  const shardRequests = (): number => server.requests.filter(({ path }) => path.endsWith(SHARD)).length;
  const beginningStored = (): Promise<unknown> =>
    until(
      'the beginning is stored',
      () => statSync(repository.partial(SHARD_SUM), { throwIfNoEntry: false })?.size === BEGINNING,
    );
  /** Makes the locks look as they do some time after their holder has died or begun to sleep. */
  const ageLocks = (): void => {
    for (const lock of readdirSync(repository.locks))
      utimesSync(join(repository.locks, lock), new Date(0), new Date(0));
  };

  it('share the work in one process', async () => {
    // Called when a download finds another at work.
    const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve)).then(sendRest);
    const connection = connectionTo(server, { wait });
    const last: (DownloadProgress | undefined)[] = [undefined, undefined];
    const results = await Promise.all(
      last.map((_, i) => pull(connection, cache, { onProgress: (progress) => void (last[i] = progress) })),
    );
    assert.deepEqual(results[0], results[1]);
    assert.ok(last.every((progress) => progress && progress.arrivedBytes === progress.bytes));
    assert.equal(shardRequests(), 1);
    assertWhole(cache, model);
  });

  it('share the work in two processes', async () => {
    const ended = [0, 1].map(() => exitCode(spawnPull(server.url, cache)));
    // Each download lists two folders.
    const listings = (): number => server.requests.filter(({ path }) => path.includes('/tree/')).length;
    await until('both downloads have begun', () => listings() === 4 && shardRequests() === 1);
    sendRest();
    assert.deepEqual(await Promise.all(ended), [0, 0]);
    assert.equal(shardRequests(), 1);
    assertWhole(cache, model);
  });

  it('resume the download that a killed process has begun', async () => {
    const child = spawnPull(server.url, cache);
    await beginningStored();
    const ended = exitCode(child);
    child.kill('SIGKILL');
    await ended;
    sendRest();
    ageLocks();
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    const { range } = server.requests.filter(({ path }) => path.endsWith(SHARD)).at(-1) ?? {};
    assert.equal(range, `bytes=${String(BEGINNING)}-${String(shardBytes.length - 1)}`);
  });

  it('leave the work to the second one if the first one sleeps, even after the first has woken', async () => {
    const sleeper = spawnPull(server.url, cache);
    const ended = exitCode(sleeper);
    await beginningStored();
    sleeper.kill('SIGSTOP');
    ageLocks();
    const sendToSleeper = sendRest;
    let sendToSecond = (): void => undefined;
    server.answer(SHARD, (response) => {
      sendBytes(response.req, response, shardBytes, (to, part) => {
        sendToSecond = () => void to.end(part);
      });
    });
    const second = pull(connectionTo(server), cache);
    await until('the second download has begun', () => shardRequests() === 2);
    sleeper.kill('SIGCONT');
    sendToSleeper();
    await pause(1000);
    assert.equal(statSync(repository.partial(SHARD_SUM)).size, BEGINNING);
    assert.ok(existsSync(repository.lock(SHARD_SUM)));
    sendToSecond();
    await second;
    assert.equal(await ended, 0);
    assert.equal(shardRequests(), 2);
    assertWhole(cache, model);
  });

  it('leave no lock when they are cancelled while taking it', async () => {
    const stopping = new AbortController();
    const write = fs.writeFileSync;
    const writes = mock.method(fs, 'writeFileSync', (...args: Parameters<typeof write>) => {
      write(...args);
      if (String(args[0]).endsWith('.lock')) stopping.abort('enough');
    });
    const stopped = pull(connectionTo(server), cache, { signal: stopping.signal });
    await assert.rejects(stopped, (reason) => reason === 'enough');
    writes.mock.restore();
    assert.deepEqual(readdirSync(repository.locks), []);
  });
});
