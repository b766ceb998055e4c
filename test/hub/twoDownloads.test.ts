// Two downloads of one model into one cache, in one process and in two, and what a process that died leaves behind.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { lockBlob } from '../../server/hub/lockBlob';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { until } from '../editor/waiting';
import { HubServer, sendBytes, sha256 } from '../support/hub/hubServer';
import { assertWhole, connectionTo, MODEL, madeUpModel, pull, SHARDS } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const SHARD_SUM = sha256(model.files[SHARD] ?? Buffer.alloc(0));
const DEAD = 2 ** 30;
const BEGINNING = 1000;

describe('two downloads', () => {
  let server: HubServer;
  let cache: string;
  /** Gives the rest of the shard, of which a beginning is given at once. */
  let goOn: () => void;
  beforeEach(async () => {
    server = await HubServer.start({ [MODEL]: model });
    cache = temporaryFolder();
    const told = new Promise<void>((resolve) => (goOn = resolve));
    server.intercept = (request, response) => {
      const bytes = model.files[SHARD];
      if (bytes === undefined || !request.url?.endsWith(SHARD)) return false;
      sendBytes(request, response, bytes, (to, part) => {
        to.write(part.subarray(0, BEGINNING));
        void told.then(() => to.end(part.subarray(BEGINNING)));
      });
      return true;
    };
  });
  afterEach(async () => await server.close());
  const shardRequests = (): number => server.asked.filter(({ path }) => path.endsWith(SHARD)).length;

  it('share the work in one process', async () => {
    // Who finds the other at work.
    const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve)).then(goOn);
    const connection = connectionTo(server, { wait });
    const results = await Promise.all([pull(connection, cache), pull(connection, cache)]);
    assert.deepEqual(results[0], results[1]);
    assert.equal(shardRequests(), 1);
    assertWhole(cache, model);
  });

  it('share the work in two processes', async () => {
    const script = join(__dirname, '..', 'support', 'hub', 'pullProcess.js');
    const children = [0, 1].map(() => fork(script, [server.url, cache], { env: { HF_HOME: cache } }));
    // Two folders each.
    const listings = (): number => server.asked.filter(({ path }) => path.includes('/tree/')).length;
    await until('both are at work', () => listings() === 4 && shardRequests() === 1);
    goOn();
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
    const partial = new RepositoryCache(cache, MODEL).partial(SHARD_SUM);
    await until(
      'a beginning is kept',
      () => statSync(partial, { throwIfNoEntry: false })?.size === BEGINNING,
    );
    child.kill('SIGKILL');
    await once(child, 'close');
    goOn();
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    const { range } = server.asked.filter(({ path }) => path.endsWith(SHARD)).at(-1) ?? {};
    assert.equal(range, `bytes=${String(BEGINNING)}-`);
  });

  it('do not wait for one that is gone or silent', async () => {
    const own = new RepositoryCache(cache, MODEL);
    const lock = own.lock(SHARD_SUM);
    mkdirSync(own.locks, { recursive: true });
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: DEAD, id: 'x' }));
    goOn();
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    // Killed after its last byte, before it let go.
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: DEAD, id: 'x' }));
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    writeFileSync(lock, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
    utimesSync(lock, new Date(0), new Date(0));
    const wait = (): Promise<void> => Promise.resolve();
    const release = await lockBlob(lock, { wait, isDone: () => false });
    assert.ok(release);
    release();
    // The clock was set back since.
    writeFileSync(lock, JSON.stringify({ host: 'another', pid: 1, id: 'x' }));
    const future = new Date(Date.now() + 24 * 3600 * 1000);
    utimesSync(lock, future, future);
    const again = await lockBlob(lock, { wait, isDone: () => false });
    assert.ok(again);
    again();
  });

  it('never remove the lock of another, whenever that has come', async () => {
    const lock = join(temporaryFolder(), 'lock');
    const wait = (): Promise<void> => Promise.resolve();
    const other = JSON.stringify({ host: 'another', pid: 1, id: 'new' });
    // After a minute of silence, another process has taken it over.
    const release = await lockBlob(lock, { wait, isDone: () => false });
    writeFileSync(lock, other);
    release?.();
    assert.equal(readFileSync(lock, 'utf8'), other);
    // In the moment in which it is removed as that of a process which is gone.
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: DEAD, id: 'x' }));
    const rename = fs.renameSync;
    const moved = mock.method(fs, 'renameSync', (from: string, to: string) => {
      writeFileSync(lock, other);
      rename(from, to);
    });
    try {
      let isDone = false;
      await lockBlob(lock, { wait, isDone: () => isDone || !(isDone = true) });
    } finally {
      moved.mock.restore();
    }
    assert.equal(readFileSync(lock, 'utf8'), other);
    assert.deepEqual(readdirSync(dirname(lock)), ['lock']);
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
