// Two downloads of one model into one cache, in one process and in two, and what a process that died leaves behind.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lockBlob } from '../../server/hub/lockBlob';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { HubServer, sendBytes, sha256 } from '../support/hub/hubServer';
import { assertWhole, connectionTo, MODEL, madeUpModel, pull, SHARDS } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const SHARD_SUM = sha256(model.files[SHARD] ?? Buffer.alloc(0));
const DEAD = 2 ** 30;

describe('two downloads', () => {
  let server: HubServer;
  let cache: string;
  beforeEach(async () => {
    server = await HubServer.start({ [MODEL]: model });
    cache = temporaryFolder();
    // Slow enough that one finds the other at work.
    server.intercept = (request, response) => {
      const bytes = model.files[SHARD];
      if (bytes === undefined || !request.url?.endsWith(SHARD)) return false;
      sendBytes(request, response, bytes, (to, part) => {
        to.write(part.subarray(0, 1000));
        setTimeout(() => to.end(part.subarray(1000)), 300);
      });
      return true;
    };
  });
  afterEach(async () => await server.close());
  const shardRequests = (): number => server.asked.filter(({ path }) => path.endsWith(SHARD)).length;

  it('share the work in one process', async () => {
    const wait = (pause: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pause / 10));
    const connection = connectionTo(server, { wait });
    const results = await Promise.all([pull(connection, cache), pull(connection, cache)]);
    assert.deepEqual(results[0], results[1]);
    assert.equal(shardRequests(), 1);
    assertWhole(cache, model);
  });

  it('share the work in two processes', async () => {
    const script = join(__dirname, '..', 'support', 'hub', 'pullProcess.js');
    const children = [0, 1].map(() => fork(script, [server.url, cache], { env: { HF_HOME: cache } }));
    const ends = await Promise.all(children.map(async (child) => (await once(child, 'close')) as unknown[]));
    assert.deepEqual(
      ends.map(([code]) => code),
      [0, 0],
    );
    assert.equal(shardRequests(), 1);
    assertWhole(cache, model);
  });

  it('goes on where a process that was killed has stopped', async () => {
    const script = join(__dirname, '..', 'support', 'hub', 'pullProcess.js');
    const child = fork(script, [server.url, cache], { env: { HF_HOME: cache } });
    while (shardRequests() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGKILL');
    await once(child, 'close');
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    assert.match(server.asked.filter(({ path }) => path.endsWith(SHARD)).at(-1)?.range ?? '', /^bytes=\d+-$/);
  });

  it('do not wait for one that is gone or silent', async () => {
    const own = new RepositoryCache(cache, MODEL);
    const lock = own.lock(SHARD_SUM);
    mkdirSync(own.locks, { recursive: true });
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: DEAD, id: 'x' }));
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    writeFileSync(lock, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
    utimesSync(lock, new Date(0), new Date(0));
    const wait = (): Promise<void> => Promise.resolve();
    const release = await lockBlob(lock, { wait, isDone: () => false });
    assert.ok(release);
    release();
  });

  it('wait for one that works, and no longer than is asked for', async () => {
    const own = new RepositoryCache(cache, MODEL);
    const lock = own.lock(SHARD_SUM);
    const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const release = await lockBlob(lock, { wait, isDone: () => false });
    assert.ok(release);
    const stopping = new AbortController();
    let tries = 0;
    const isDone = (): boolean => {
      if ((tries += 1) === 5) stopping.abort();
      return false;
    };
    assert.equal(await lockBlob(lock, { wait, isDone, signal: stopping.signal }), undefined);
    assert.equal(tries, 5);
    release();
    const again = await lockBlob(lock, { wait, isDone: () => false });
    assert.ok(again);
    again();
  });
});
