// Tests downloads over Xet, from a hub and a store on another host, and their failures. Some tests also run without Xet
// and expect the same result. After each, the cache has no partial model that could be loaded.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { mock } from 'node:test';
import { ChunkLimit } from '../../server/hub/chunkLimit';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import type { DownloadProgress } from '../../server/protocol/modelCatalogue';
import { until } from '../editor/waiting';
import { HubServer, refuse, sendBytes, sha256 } from '../support/hub/hubServer';
import {
  assertUnfinished,
  assertWhole,
  connectionTo,
  failure,
  MODEL,
  madeUpModel,
  pull,
  SHARD_BYTES,
  SHARDS,
  TOKEN,
} from '../support/hub/madeUpModel';
import { ProxyServer } from '../support/hub/proxyServer';
import { exitCode, spawnPull } from '../support/hub/spawnPull';
import { chunkHeader, XET_TOKEN, XetServer } from '../support/hub/xetServer';
import { seededIntegers } from '../support/seededRandom';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const shardBytes = model.files[SHARD] ?? Buffer.alloc(0);
/** The method `write` of a FileHandle. */
type Write = (chunk: Uint8Array, from: number, length: number, position: number) => Promise<object>;

const KILLS = 10;
const BYTES_BEFORE_KILL = 20_000;

describe('a download over Xet', () => {
  let server: HubServer;
  let xet: XetServer;
  let cache: string;
  let repository: RepositoryCache;
  beforeEach(async () => {
    xet = await XetServer.start();
    server = await HubServer.start({ [MODEL]: model });
    server.xet = xet;
    cache = temporaryFolder();
    repository = new RepositoryCache(cache, MODEL);
  });

  /** Leaves only one large file to download. */
  const onlyShard = (): void => {
    mkdirSync(repository.blobs, { recursive: true });
    for (const [name, bytes] of Object.entries(model.files))
      if (name !== SHARD) writeFileSync(repository.blob(sha256(bytes)), bytes);
  };
  const partialBytes = (): number =>
    statSync(repository.partial(sha256(shardBytes)), { throwIfNoEntry: false })?.size ?? 0;
  const storeRanges = (): (string | undefined)[] =>
    xet.server.requests.filter(({ path }) => path.includes('/reconstructions/')).map(({ range }) => range);
  const restFrom = (position: number): string => `bytes=${String(position)}-${String(SHARD_BYTES - 1)}`;
  const plainRequests = (): number =>
    server.requests.filter(({ path, range }) => path.endsWith(SHARD) && range !== 'bytes=0-0').length;

  it('gets large files from the store, which never gets the token of the hub', async () => {
    await pull(connectionTo(server, { token: TOKEN }), cache);
    assertWhole(cache, model);
    assert.ok(server.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`));
    assert.equal(plainRequests(), 0);
    const authorized = xet.server.requests.filter(({ path }) => path.includes('/reconstructions/'));
    assert.equal(authorized.length, SHARDS.length + 1);
    assert.ok(authorized.every(({ authorization }) => authorization === `Bearer ${XET_TOKEN}`));
    const signed = xet.server.requests.filter(({ path }) => path.includes('/xorbs/'));
    assert.ok(signed.length > SHARDS.length);
    assert.ok(signed.every(({ authorization }) => authorization === undefined));
    assert.ok(
      signed.some(({ range }) => range?.includes(',')),
      'no request for several ranges',
    );
  });

  it('resumes at the byte where an earlier run was interrupted', async () => {
    for (const position of [1, SHARD_BYTES - 1, 80_000, ...seededIntegers(7, 3, 2, SHARD_BYTES - 2)]) {
      cache = temporaryFolder();
      repository = new RepositoryCache(cache, MODEL);
      onlyShard();
      writeFileSync(repository.partial(sha256(shardBytes)), shardBytes.subarray(0, position));
      xet.server.requests.length = 0;
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
      assert.deepEqual(storeRanges(), [restFrom(position)]);
    }
    assert.equal(plainRequests(), 0);
  });

  it('sends all requests through a proxy, none with the global fetch', async () => {
    const proxy = await ProxyServer.start();
    const fetches = mock.method(globalThis, 'fetch', () => assert.fail('the global fetch was called'));
    const env = { HF_TOKEN_PATH: '/nowhere', HTTP_PROXY: `http://${proxy.host}` };
    await pull(connectionTo(server, { env }), cache);
    fetches.mock.restore();
    assert.equal(fetches.mock.callCount(), 0);
    assertWhole(cache, model);
    assert.equal(proxy.reached.length, server.requests.length + xet.server.requests.length);
  });

  for (const isOverXet of [true, false])
    it(`resumes after kill -9 at ten points ${isOverXet ? 'over Xet' : 'without Xet'}`, async () => {
      server.xet = isOverXet ? xet : undefined;
      onlyShard();
      const starts: number[] = [];
      const isStored = (): boolean =>
        existsSync(repository.blob(sha256(shardBytes))) || partialBytes() === SHARD_BYTES;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = partialBytes();
        starts.push(before);
        // One response of the store arrives, and the next one never does.
        xet.fail('/xorbs/', (_, attempt) => attempt > 1);
        server.answer(SHARD, (response) => {
          if (isOverXet) return false;
          return sendBytes(response.req, response, shardBytes, (to, part) => {
            to.write(part.subarray(0, BYTES_BEFORE_KILL));
          });
        });
        const child = spawnPull(server.url, cache);
        const ended = exitCode(child);
        await until('more bytes are kept', () => isStored() || partialBytes() > before);
        child.kill('SIGKILL');
        await ended;
        if (isStored()) {
          // The kill came too late for this file.
          cache = temporaryFolder();
          repository = new RepositoryCache(cache, MODEL);
          onlyShard();
          continue;
        }
        assert.ok(partialBytes() > before, 'each run kept more than the one before');
        assertUnfinished(cache);
        for (const lock of readdirSync(repository.locks))
          utimesSync(join(repository.locks, lock), new Date(0), new Date(0));
      }
      starts.push(partialBytes());
      xet.fault = () => false;
      server.intercept = () => false;
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
      const ranges = isOverXet
        ? storeRanges()
        : server.requests.filter(({ path }) => path.endsWith(SHARD)).map(({ range }) => range);
      const expected = starts.map((from) => (from === 0 && !isOverXet ? undefined : restFrom(from)));
      assert.deepEqual(ranges, expected);
    });

  it('continues over Xet after a connection to the store broke', async () => {
    onlyShard();
    const isBroken = (response: ServerResponse, attempt: number): unknown => {
      if (attempt !== 2) return false;
      response.writeHead(206, { 'content-range': 'bytes 0-80343/80344' });
      return response.write(Buffer.alloc(10), () => response.destroy());
    };
    xet.fail('/xorbs/', isBroken);
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    assert.equal(plainRequests(), 0);
  });

  for (const path of ['/resolve/', '/xet-read-token/', '/v2/reconstructions/', '/xorbs/'])
    for (const status of [429, 503])
      it(`waits as long as ${path} asks with ${String(status)}, and gets the file`, async () => {
        onlyShard();
        const refuseOnce = (response: ServerResponse, attempt: number): unknown =>
          attempt === 1 && response.req.url?.includes('json') !== true
            ? refuse(response, status, undefined, { 'retry-after': '7' })
            : false;
        const isOfHub = path === '/resolve/' || path === '/xet-read-token/';
        if (isOfHub) server.answer(path === '/resolve/' ? SHARD : path, refuseOnce);
        else xet.fail(path, refuseOnce);
        const pauses: number[] = [];
        const wait = (pause: number): Promise<void> => Promise.resolve(void pauses.push(pause));
        await pull(connectionTo(server, { wait }), cache);
        assert.deepEqual(pauses, [7_000]);
        assertWhole(cache, model);
      });

  for (const [fault, answer] of Object.entries<(response: ServerResponse) => unknown>({
    'refuses the token': (response) => refuse(response, 401),
    'does not know the file': (response) => refuse(response, 404),
    'breaks off': (response) => response.destroy(),
    'answers without content': (response) => response.writeHead(204).end(),
    'answers in another form': (response) => response.end('<html>'),
    'answers with null': (response) => response.end('null'),
    'lists no terms': (response) => response.end('{"terms":5,"xorbs":{},"offset_into_first_range":0}'),
    'lists a term that ends before it begins': (response) =>
      response.end('{"terms":[{"hash":"a","unpacked_length":5,"range":{"start":5,"end":1}}],"xorbs":{}}'),
    'redirects to an invalid address': (response) => response.writeHead(302, { location: 'http://[' }).end(),
    'redirects in a loop': (response) => response.writeHead(302, { location: response.req.url }).end(),
    'never ends': (response) => {
      const fill = (): void => void (response.destroyed || response.write(Buffer.alloc(1e6, ' '), fill));
      response.writeHead(200, { 'content-type': 'application/json' });
      fill();
    },
  }))
    it(`gets the file from the hub when the store ${fault}`, async () => {
      onlyShard();
      xet.fail('/v2/reconstructions/', answer);
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
      assert.equal(plainRequests(), 1);
    });

  it('gets the file from the hub when the store cannot be reached', async () => {
    await xet.server.close();
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('gets the file from a mirror that lists Xet without having it', async () => {
    for (const hasRanges of [true, false]) {
      cache = temporaryFolder();
      server.intercept = ({ url = '' }, response) => {
        const name = /\/resolve\/[^/]+\/(.+)$/.exec(url)?.[1];
        const bytes = name === undefined ? undefined : model.files[name];
        if (bytes === undefined) return false;
        if (hasRanges) sendBytes(response.req, response, bytes);
        else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
        return true;
      };
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
    }
    assert.deepEqual(xet.server.requests, []);
  });

  it('gets the file from the hub when the store sends nothing more', async () => {
    onlyShard();
    xet.fail('/xorbs/', (response) =>
      response.writeHead(206, { 'content-range': 'bytes 0-9/10' }).flushHeaders(),
    );
    await pull(connectionTo(server, { stallMs: 500 }), cache);
    assertWhole(cache, model);
  });

  it('unpacks no chunk above the limit of Xet', async () => {
    onlyShard();
    const sizes: number[] = [];
    const read = mock.method(ChunkLimit.prototype, 'read', function (this: ChunkLimit, bytes: Uint8Array) {
      sizes.push(bytes.length);
      read.mock.restore();
      this.read(bytes);
    });
    const bomb = Buffer.concat([chunkHeader(1_000, 1, 0xffffff), Buffer.alloc(1_000)]);
    const start = Buffer.from('--b\r\ncontent-range: bytes 0-1007/1008\r\n\r\n');
    const body = Buffer.concat([start, bomb, Buffer.from('\r\n--b--\r\n')]);
    xet.fail('/xorbs/', (response) =>
      response.writeHead(206, { 'content-type': 'multipart/byteranges; boundary=b' }).end(body),
    );
    await pull(connectionTo(server), cache);
    assert.ok(sizes.length > 0);
    assertWhole(cache, model);
    assert.equal(plainRequests(), 1);
  });

  it('refuses wrong bytes of the store, and gets the right ones from the hub', async () => {
    onlyShard();
    xet.fail('/xorbs/', spoil);
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    assert.equal(plainRequests(), 1);
  });

  it('refuses wrong bytes of both the store and the hub, and keeps none of them', async () => {
    onlyShard();
    xet.fail('/xorbs/', spoil);
    const wrong = Buffer.from(shardBytes).fill(0, 1000, 1001);
    server.answer(SHARD, (response) =>
      response.req.headers.accept?.includes('xet') ? false : sendBytes(response.req, response, wrong),
    );
    const message = await failure(pull(connectionTo(server), cache));
    assert.ok(message.includes(SHARD) && message.includes(sha256(shardBytes)), message);
    assertUnfinished(cache);
    assert.equal(partialBytes(), 0);
  });

  it('refuses a file that changed during the download', async () => {
    onlyShard();
    const changedBytes = madeUpModel(2).files[SHARD] ?? Buffer.alloc(0);
    const changedStore = await XetServer.start();
    const hash = changedStore.add(changedBytes);
    xet.fail('', (response, attempt) => {
      if (attempt <= 2) return false;
      if (response.req.url?.includes('/xorbs/')) return response.destroy();
      const location = `${changedStore.url}/v2/reconstructions/${hash}`;
      return response.writeHead(307, { location }).end();
    });
    server.answer(SHARD, (response) =>
      response.req.headers.accept?.includes('xet') ? false : sendBytes(response.req, response, changedBytes),
    );
    const message = await failure(pull(connectionTo(server), cache));
    assert.match(message, /do not have its checksum \S+ and were discarded/);
    assertUnfinished(cache);
    assert.equal(partialBytes(), 0);
    assert.ok(changedStore.server.requests.length > 0);
    assert.ok(changedStore.server.requests.every(({ authorization }) => authorization === undefined));
    xet.fault = () => false;
    server.intercept = () => false;
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('stops when aborted, closes its connections, and resumes the next time', async () => {
    onlyShard();
    const stopping = new AbortController();
    let hanging: ServerResponse | undefined;
    xet.fail('/xorbs/', (response, attempt) => {
      if (attempt === 1) return false;
      hanging ??= response;
      return response.writeHead(206, { 'content-range': 'bytes 0-9/10' }).flushHeaders();
    });
    const stopped = pull(connectionTo(server), cache, { signal: stopping.signal });
    await until('the first piece is kept', () => partialBytes() > 0 && hanging !== undefined);
    const closed = hanging && once(hanging, 'close');
    stopping.abort('enough');
    await assert.rejects(stopped, (reason) => reason === 'enough');
    await closed;
    assertUnfinished(cache);
    const kept = partialBytes();
    assert.deepEqual(readdirSync(repository.locks), []);
    xet.fault = () => false;
    xet.server.requests.length = 0;
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    assert.deepEqual(storeRanges(), [restFrom(kept)]);
  });

  it('reports bytes before a chunk of the store is complete, and never fewer than before', async () => {
    onlyShard();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reports: DownloadProgress[] = [];
    xet.fail('/xorbs/', (response, attempt) => {
      if (attempt > 1) return false;
      hold(response, 10_000, released);
      return false;
    });
    const pulled = pull(connectionTo(server), cache, { onProgress: (report) => void reports.push(report) });
    const otherFileBytes = (): number => (reports[0]?.bytes ?? Infinity) - SHARD_BYTES;
    await until('half a piece is reported', () => (reports.at(-1)?.arrivedBytes ?? 0) > otherFileBytes());
    assert.equal(partialBytes(), 0);
    release();
    await pulled;
    assertWhole(cache, model);
    for (const [i, { arrivedBytes }] of reports.entries())
      assert.ok(arrivedBytes >= (reports[i - 1]?.arrivedBytes ?? 0));
    assert.equal(reports.at(-1)?.arrivedBytes, reports.at(-1)?.bytes);
  });

  for (const isOverXet of [true, false])
    it(`keeps what has arrived when the disk is full ${isOverXet ? 'over Xet' : 'without Xet'}`, async () => {
      server.xet = isOverXet ? xet : undefined;
      onlyShard();
      const handle = await open(join(temporaryFolder(), 'any'), 'w');
      const prototype = Object.getPrototypeOf(handle) as { write: Write };
      await handle.close();
      const { write } = prototype;
      let free = 100_000;
      const writes = mock.method(prototype, 'write', async function (this: unknown, ...args) {
        free -= args[2];
        if (free < 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
        return await Reflect.apply(write, this, args);
      } satisfies Write);
      const message = await failure(pull(connectionTo(server), cache));
      writes.mock.restore();
      assert.match(message, /a full disk/);
      assertUnfinished(cache);
      assert.ok(partialBytes() > 0);
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
    });
});

/** Changes one byte of each large part of a response, which is the data of an uncompressed chunk. */
function spoil(response: ServerResponse): false {
  const spoilt = (part: unknown): unknown => {
    if (!(part instanceof Buffer) || part.length < 1_000) return part;
    const wrong = Buffer.from(part);
    wrong[100] = (wrong[100] ?? 0) ^ 1;
    return wrong;
  };
  return rewrite(response, (part, write) => write(spoilt(part)));
}

/** Sends the first bytes of a response immediately, and the rest once `later` has resolved. */
function hold(response: ServerResponse, bytes: number, later: Promise<void>): false {
  let left = bytes;
  return rewrite(
    response,
    (part, write) => {
      const data = Buffer.from(part as Buffer);
      const first = data.subarray(0, left);
      left -= first.length;
      if (first.length > 0) write(first);
      void later.then(() => write(data.subarray(first.length)));
    },
    later,
  );
}

/** Passes each part of a response to `change`, which writes it. Ends the response once `later` has resolved. */
function rewrite(
  response: ServerResponse,
  change: (part: unknown, write: (part: unknown) => unknown) => unknown,
  later = Promise.resolve(),
): false {
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  Object.assign(response, {
    write: (part: unknown) => change(part, write),
    end: (part?: unknown) => {
      if (part !== undefined) change(part, write);
      void later.then(() => end());
    },
  });
  return false;
}
