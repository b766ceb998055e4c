// Tests downloads from a hub on this machine over real connections with real failures. After each, the cache is
// correct, and no partial model can be loaded.
import assert from 'node:assert/strict';
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { mock } from 'node:test';
import type { DownloadProgress } from '../../server/protocol/modelCatalogue';
import { downloadedModel } from '../../server/hub/downloadedModels';
import { planDownload } from '../../server/hub/downloadPlan';
import { TransferMeter } from '../../server/hub/transferMeter';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { until } from '../editor/waiting';
import { dropAfter, HubServer, refuse, sendBytes, sha256 } from '../support/hub/hubServer';
import {
  assertUnfinished,
  assertWhole,
  connectionTo,
  failure,
  MODEL,
  madeUpModel,
  pull,
  SHARDS,
  SHARD_BYTES,
  TOKEN,
} from '../support/hub/madeUpModel';
import { seededIntegers } from '../support/seededRandom';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const shardBytes = model.files[SHARD] ?? Buffer.alloc(0);
const restFrom = (position: number): string => `bytes=${String(position)}-${String(SHARD_BYTES - 1)}`;

describe('a download', () => {
  let server: HubServer;
  let cache: string;
  let repository: RepositoryCache;
  beforeEach(async () => {
    server = await HubServer.start({ [MODEL]: model });
    cache = temporaryFolder();
    repository = new RepositoryCache(cache, MODEL);
  });

  /** Sets the answer to requests for the first shard; `attempt` counts them, from 1. */
  const answerShard = (answer: (response: ServerResponse, attempt: number) => unknown): void => {
    server.answer(SHARD, answer);
  };
  /** Answers with the shard, and breaks the connection after some bytes. */
  const drop = (bytes: number) => (response: ServerResponse) => {
    sendBytes(response.req, response, shardBytes, dropAfter(bytes));
  };
  const shardRanges = (): (string | undefined)[] =>
    server.requests.filter(({ path }) => path.endsWith(SHARD)).map(({ range }) => range);
  const partialBytes = (): number => statSync(repository.partial(sha256(shardBytes))).size;

  it('fetches and links the needed files, and no others', async () => {
    const reports: DownloadProgress[] = [];
    const directories = await pull(connectionTo(server), cache, {
      onProgress: (progress) => void reports.push(progress),
    });
    assert.deepEqual(directories, [repository.snapshot(server.commit)]);
    assertWhole(cache, model);
    assert.equal(readFileSync(repository.ref('main'), 'utf8'), server.commit);
    assert.ok(!server.requests.some(({ path }) => /README|consolidated|pytorch|original/.test(path)));
    const last = reports.at(-1);
    assert.equal(last?.arrivedBytes, last?.bytes);
    assert.ok((last?.bytes ?? 0) > SHARDS.length * SHARD_BYTES);
    for (const [i, { arrivedBytes }] of reports.entries())
      assert.ok(arrivedBytes >= (reports[i - 1]?.arrivedBytes ?? 0));
  });

  it('resumes at the byte where an earlier run was interrupted', async () => {
    for (const position of [1, SHARD_BYTES - 1, ...seededIntegers(7, 3, 2, SHARD_BYTES - 2)]) {
      const folder = temporaryFolder();
      const resumed = new RepositoryCache(folder, MODEL);
      mkdirSync(resumed.blobs, { recursive: true });
      writeFileSync(resumed.partial(sha256(shardBytes)), shardBytes.subarray(0, position));
      server.requests.length = 0;
      await pull(connectionTo(server), folder);
      assertWhole(folder, model);
      assert.deepEqual(shardRanges(), [restFrom(position)]);
    }
  });

  it('survives twenty broken connections in a row while bytes arrive', async () => {
    answerShard((response, attempt) => (attempt <= 20 ? drop(7_001)(response) : false));
    await pull(connectionTo(server), cache);
    assert.equal(shardRanges().length, 21);
    assertWhole(cache, model);
  });

  it('gives up on a connection without bytes, and keeps what has arrived', async () => {
    answerShard((response, attempt) => drop(attempt === 1 ? 5_000 : 0)(response));
    assert.match(
      await failure(pull(connectionTo(server), cache)),
      /^Could not reach 127.*\. Check your network or proxy\. \(\w/,
    );
    assertUnfinished(cache);
    assert.ok(partialBytes() > 0 && partialBytes() <= 5_000);
    server.intercept = () => false;
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('keeps nothing of a file of which no byte has arrived', async () => {
    answerShard(drop(0));
    await failure(pull(connectionTo(server), cache));
    assert.ok(!existsSync(repository.partial(sha256(shardBytes))));
  });

  it('fetches empty files', async () => {
    const files = { ...model.files, 'generation_config.json': Buffer.alloc(0) };
    const hub = await HubServer.start({ [MODEL]: { files } });
    await pull(connectionTo(hub), cache);
    assertWhole(cache, { files });
  });

  it('waits on a slow connection, and reconnects when a connection stops', async () => {
    const stallMs = 123_456;
    const setRealTimeout = setTimeout;
    const stalls: (() => void)[] = [];
    const timers = mock.method(globalThis, 'setTimeout', (work: () => void, ms: number, ...args: []) => {
      const timer = setRealTimeout(work, ms, ...args);
      if (ms !== stallMs) return timer;
      stalls.push(work);
      const refresh = (): NodeJS.Timeout => {
        stalls.push(work);
        return timer;
      };
      return Object.assign(timer, { refresh });
    });
    const stall = async (): Promise<void> => {
      await until('all sent bytes have arrived', () => partialBytes() === 60_000);
      for (const onStall of stalls.splice(0)) onStall();
    };
    answerShard((response, attempt) => {
      sendBytes(response.req, response, shardBytes, (to, part) => {
        let sent = 0;
        const slowly = setInterval(() => {
          if (sent < part.length) to.write(part.subarray(sent, (sent += 30_000)));
          if (sent >= part.length) clearInterval(slowly);
          if (attempt > 1 || sent < 60_000) return;
          clearInterval(slowly);
          void stall();
        }, 5);
      });
    });
    await pull(connectionTo(server, { stallMs }), cache);
    timers.mock.restore();
    assert.ok(stalls.length > 5, 'each part that arrives restarts the time limit');
    assert.deepEqual(shardRanges(), [undefined, restFrom(60_000)]);
    assertWhole(cache, model);
  });

  it('refuses wrong bytes, and gets the right ones in the next run', async () => {
    const wrong = Buffer.from(shardBytes).fill(0, 1000, 1001);
    answerShard((response) => sendBytes(response.req, response, wrong));
    const message = await failure(pull(connectionTo(server), cache));
    assert.ok(message.includes(SHARD) && message.includes(sha256(shardBytes)), message);
    assertUnfinished(cache);
    assert.equal(existsSync(repository.partial(sha256(shardBytes))), false);
    server.intercept = () => false;
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('refuses wrong bytes of a small file by its Git checksum', async () => {
    const name = 'tokenizer_config.json';
    const right = model.files[name] ?? Buffer.alloc(0);
    server.answer(name, (response) => {
      sendBytes(response.req, response, Buffer.from(right).fill(' ', 0, 1));
    });
    assert.match(
      await failure(pull(connectionTo(server), cache)),
      /tokenizer_config\.json .* do not have its checksum/,
    );
    assertUnfinished(cache);
  });

  it('refuses a part of a file that begins elsewhere, or does not say where', async () => {
    answerShard((response, attempt) => {
      if (attempt === 1) return drop(100_000)(response);
      if (attempt > 3) return false;
      const range = `bytes 5-${String(SHARD_BYTES - 1)}/${String(SHARD_BYTES)}`;
      return response
        .writeHead(206, attempt === 2 ? { 'content-range': range } : {})
        .end(shardBytes.subarray(5));
    });
    await pull(connectionTo(server), cache);
    assert.equal(shardRanges().length, 4);
    assert.deepEqual(new Set(shardRanges()).size, 2);
    assertWhole(cache, model);
  });

  it('writes nothing through a link that has the name of an unfinished file', async () => {
    const linkedFile = join(temporaryFolder(), 'other');
    writeFileSync(linkedFile, 'kept');
    mkdirSync(repository.blobs, { recursive: true });
    symlinkSync(linkedFile, repository.partial(sha256(shardBytes)));
    await pull(connectionTo(server), cache);
    assert.equal(readFileSync(linkedFile, 'utf8'), 'kept');
    assertWhole(cache, model);
    assert.ok(lstatSync(repository.blob(sha256(shardBytes))).isFile());
  });

  it('lists no model before all of its files are linked', async () => {
    mkdirSync(join(repository.snapshot(server.commit), 'tokenizer.json', 'a folder'), { recursive: true });
    await assert.rejects(pull(connectionTo(server), cache), /EISDIR|ENOTEMPTY|EEXIST|EPERM/);
    assert.ok(!existsSync(join(repository.snapshot(server.commit), 'config.json')));
  });

  it('restarts a file when the bytes of an earlier run are wrong', async () => {
    mkdirSync(repository.blobs, { recursive: true });
    for (const [length, requests] of [
      [1000, 2],
      [SHARD_BYTES, 1],
      [SHARD_BYTES + 1, 1],
    ] as const) {
      writeFileSync(repository.partial(sha256(shardBytes)), Buffer.alloc(length));
      const before = shardRanges().length;
      await pull(connectionTo(server), cache);
      assertWhole(cache, model);
      assert.equal(shardRanges().length - before, requests, `after ${String(length)} wrong bytes`);
      truncateSync(repository.blob(sha256(shardBytes)), 5);
    }
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('refuses more bytes than are listed', async () => {
    answerShard((response) => sendBytes(response.req, response, Buffer.concat([shardBytes, shardBytes])));
    assert.match(
      await failure(pull(connectionTo(server), cache)),
      / sent an unusable answer about made-up\/model\..*\(more bytes than listed\)/,
    );
    assertUnfinished(cache);
    // Other files can be unfinished: their downloads end with the first failure.
    assert.ok(!existsSync(repository.partial(sha256(shardBytes))), 'none of them is kept');
  });

  it('skips the bytes that it has if a host sends the whole file again', async () => {
    answerShard((response, attempt) => {
      if (attempt === 1) return drop(100_000)(response);
      return response.writeHead(200, { 'content-length': SHARD_BYTES }).end(shardBytes);
    });
    await pull(connectionTo(server), cache);
    // Bytes on their way can be lost when the connection breaks.
    assert.match(shardRanges()[1] ?? '', /^bytes=[1-9]\d*-299999$/);
    assert.equal(shardRanges().length, 2);
    assertWhole(cache, model);
  });

  it('retries when a host reports once that it has no such range', async () => {
    answerShard((response, attempt) => {
      if (attempt === 1) return drop(100_000)(response);
      return attempt === 2 ? refuse(response, 416) : false;
    });
    await pull(connectionTo(server), cache);
    assert.equal(shardRanges().length, 3);
    assertWhole(cache, model);
  });

  it('gives up on a host that restarts each time without getting further', async () => {
    answerShard((response) => {
      response.writeHead(200, { 'content-length': SHARD_BYTES });
      response.write(shardBytes.subarray(0, 5_000), () => response.destroy());
    });
    const pauses: number[] = [];
    const wait = (pause: number): Promise<void> => Promise.resolve(void pauses.push(pause));
    assert.match(await failure(pull(connectionTo(server, { wait }), cache)), /^Could not reach 127/);
    // Waits are shorter after attempts that received more bytes.
    assert.deepEqual(pauses.slice(-5), [500, 1_000, 2_000, 4_000, 8_000]);
    assertUnfinished(cache);
  });

  it('gives up on a host that has fewer bytes than are listed', async () => {
    answerShard((response) => sendBytes(response.req, response, shardBytes.subarray(0, 1000)));
    assert.match(await failure(pull(connectionTo(server), cache)), /^Could not reach 127/);
    assertUnfinished(cache);
  });

  it('waits as long as a busy hub asks, and retries after its failures', async () => {
    const pauses: number[] = [];
    const wait = (pause: number): Promise<void> => Promise.resolve(void pauses.push(pause));
    answerShard((response, attempt) => {
      const status = [429, 503, 408, 500][attempt - 1];
      if (status === undefined) return false;
      return refuse(response, status, undefined, attempt === 1 ? { 'retry-after': '7' } : {});
    });
    await pull(connectionTo(server, { wait }), cache);
    assert.deepEqual(pauses, [7_000, 1_000, 2_000, 4_000]);
    assertWhole(cache, model);
  });

  it('waits two minutes if the hub asks for that, and gives up if it asks for more', async () => {
    const pauses: number[] = [];
    const wait = (pause: number): Promise<void> => Promise.resolve(void pauses.push(pause));
    const askFor = (seconds: number, requests: number): void => {
      answerShard(
        (response, attempt) =>
          attempt <= requests && refuse(response, 429, undefined, { 'retry-after': String(seconds) }),
      );
    };
    askFor(121, 9);
    assert.match(await failure(pull(connectionTo(server, { wait }), cache)), /Wait a few minutes/);
    assert.deepEqual(pauses, []);
    askFor(120, 1);
    await pull(connectionTo(server, { wait }), cache);
    assert.deepEqual(pauses, [120_000]);
  });

  const refusals: readonly (readonly [status: number, code: string | undefined, ...mentions: string[]])[] = [
    [401, 'GatedRepo', 'gated', 'Accept its licence at http://127', MODEL],
    [403, 'GatedRepo', 'gated', 'Accept its licence at http://127', 'a token of that account'],
    [401, undefined, ' rejected the token', 'Check the token'],
    [403, undefined, ' refused access to made-up/model', 'Request access'],
    [404, 'RepoNotFound', ' has no repository named made-up/model', 'Check the name'],
    [404, undefined, ' has no repository named made-up/model', 'private'],
    [404, 'RevisionNotFound', ' lacks listed files of made-up/model', 'Use another mirror'],
    [404, 'EntryNotFound', ' lacks listed files of made-up/model', 'Use another mirror'],
    [429, undefined, '429', 'Wait a few minutes'],
    [500, undefined, '500', 'Try again later'],
    [418, undefined, '418', 'Check the endpoint'],
  ];
  for (const [status, code, ...mentions] of refusals) {
    it(`explains HTTP status ${String(status)} ${code ?? ''} of the listing and of a file, without the token`, async () => {
      for (const part of ['/api/', SHARD]) {
        const folder = temporaryFolder();
        server.answer(part, (response) => refuse(response, status, code));
        const message = await failure(pull(connectionTo(server, { token: TOKEN }), folder));
        for (const mention of mentions) assert.ok(message.includes(mention), message);
        if (part === SHARD) assertUnfinished(folder);
      }
    });
  }

  it('sends the token to the hub alone, and logs no signed address', async () => {
    const store = await HubServer.start({ [MODEL]: model });
    server.redirectTo = store.url;
    await pull(connectionTo(server, { token: TOKEN }), cache);
    assertWhole(cache, model);
    assert.ok(server.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`));
    assert.ok(store.requests.length >= SHARDS.length);
    assert.ok(store.requests.every(({ authorization }) => authorization === undefined));
    store.answer('', (response) => refuse(response, 404, 'GatedRepo'));
    const message = await failure(pull(connectionTo(server, { token: TOKEN }), temporaryFolder()));
    assert.doesNotMatch(message, /s3cret|signature/);
    assert.doesNotMatch(message, /gated/, 'only the hub knows which repositories are gated');
    assert.match(message, / lacks listed files of /, 'the hub has the repository');
  });

  it('requests a new address when a signed one has expired', async () => {
    const store = await HubServer.start({ [MODEL]: model });
    server.redirectTo = store.url;
    store.answer('', (response, attempt) => attempt <= 2 && refuse(response, attempt === 1 ? 401 : 403));
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
    const redirected = server.requests.filter(({ path }) => /\.safetensors$|\/tokenizer\.json$/.test(path));
    assert.equal(redirected.length, store.requests.length, 'each has a new address');
  });

  it('stops at a redirect loop', async () => {
    server.redirectTo = server.url;
    assert.match(
      await failure(pull(connectionTo(server), cache)),
      / sent an unusable answer about .*\(too many redirects\)/,
    );
    assertUnfinished(cache);
  });

  it('reuses blobs that another tool has downloaded', async () => {
    mkdirSync(repository.blobs, { recursive: true });
    writeFileSync(repository.blob(sha256(shardBytes)), shardBytes);
    await pull(connectionTo(server), cache);
    assert.deepEqual(shardRanges(), []);
    assertWhole(cache, model);
  });

  it('replaces a copied file of another size', async () => {
    await pull(connectionTo(server), cache);
    const path = join(repository.snapshot(server.commit), 'tokenizer_config.json');
    rmSync(path);
    writeFileSync(path, 'of another tool');
    await pull(connectionTo(server), cache);
    assertWhole(cache, model);
  });

  it('plans to fetch only missing bytes, and fetches the files that a plan needs once', async () => {
    const { signal } = new AbortController();
    const plan = () => planDownload(connectionTo(server), cache, [MODEL], { signal });
    const partial = repository.partial(sha256(shardBytes));
    mkdirSync(repository.blobs, { recursive: true });
    writeFileSync(partial, Buffer.alloc(1000));
    const { bytes, missingBytes } = await plan();
    const plannedFiles = ['config.json', 'model.safetensors.index.json'];
    const plannedBytes = plannedFiles.reduce((sum, name) => sum + (model.files[name]?.length ?? 0), 0);
    assert.equal(missingBytes, bytes - 1000 - plannedBytes);
    writeFileSync(partial, Buffer.alloc(SHARD_BYTES + 5));
    // Planning again writes nothing, so it also works in a read-only cache.
    const folders = mock.method(fs, 'mkdirSync', () => assert.fail('a folder was made'));
    assert.equal((await plan()).missingBytes, bytes - SHARD_BYTES - plannedBytes);
    folders.mock.restore();
    const fetched = server.requests.filter(({ path }) => path.includes('/resolve/'));
    assert.deepEqual(fetched.map(({ path }) => basename(path)).sort(), plannedFiles);
  });

  it('lists only folders that exist, and names a few files of a repository that is not a model', async () => {
    const files = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`file${i}`, Buffer.from('x')]));
    for (const [served, listed] of [
      [files, 'file0, file1, file2, file3, file4, file5, file6, file7'],
      [{}, 'nothing'],
    ] as const) {
      const hub = await HubServer.start({ [MODEL]: { files: served } });
      const message = await failure(pull(connectionTo(hub), cache));
      assert.ok(message.endsWith(` in ${MODEL}, got ${listed}; choose another repository`), message);
      assert.equal(hub.requests.filter(({ path }) => path.includes('/tree/')).length, 1);
    }
  });

  it('explains why the folder of the downloads cannot be used', async () => {
    for (const [code, reason] of Object.entries({
      EACCES: 'no permission',
      EPERM: 'no permission',
      EROFS: 'a read-only file system',
      // What Node.js reports for a new folder in a read-only file system.
      ENOENT: 'a read-only file system',
      EDQUOT: 'a full disk quota',
    })) {
      const folders = mock.method(fs, 'mkdirSync', () => {
        throw Object.assign(new Error(code), { code, syscall: 'mkdir' });
      });
      const message = await failure(pull(connectionTo(server), cache)).finally(() => folders.mock.restore());
      assert.ok(message.includes(`Downloads in ${cache} cannot be read or written (${reason})`), message);
    }
  });

  it('keeps the old snapshot until a new commit is complete', async () => {
    await pull(connectionTo(server), cache);
    const newer = madeUpModel(2);
    const next = await HubServer.start({ [MODEL]: newer });
    next.commit = 'beef'.repeat(10);
    next.answer(SHARD, (response) => refuse(response, 500));
    await failure(pull(connectionTo(next), cache));
    assert.equal(repository.commitOf('main'), server.commit);
    assert.equal(downloadedModel(cache, MODEL)?.directory, repository.snapshot(server.commit));
    next.intercept = () => false;
    await pull(connectionTo(next), cache);
    assertWhole(cache, newer, next.commit);
  });

  it('refuses a listing whose checksums are lists', async () => {
    const entry = { type: 'file', path: 'config.json', oid: ['a'.repeat(40)], size: 5 };
    server.answer('/tree/', (response) => response.end(JSON.stringify([entry])));
    assert.match(await failure(pull(connectionTo(server), cache)), /no size or checksum for config\.json/);
  });
});

describe('the meter of download speed', () => {
  it('reports the speed of the last seconds and the time left', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 100, 0, () => time);
    assert.deepEqual(meter.progressAt(100), {
      arrivedBytes: 100,
      bytes: 1000,
      bytesPerSecond: 0,
      secondsLeft: undefined,
    });
    time = 1000;
    assert.equal(meter.progressAt(200)?.bytesPerSecond, 100);
    assert.equal(meter.progressAt(200)?.secondsLeft, 8);
    for (; time < 20_000; time += 500) meter.progressAt(200);
    assert.equal(meter.progressAt(200)?.bytesPerSecond, 0);
    assert.equal(meter.progressAt(200)?.secondsLeft, undefined);
    // A file restarts.
    meter.progressAt(0);
    time += 1000;
    assert.equal(meter.progressAt(50)?.bytesPerSecond, 50);
  });

  it('reports at intervals, and the end immediately and once', () => {
    let time = 0;
    const meter = new TransferMeter(1000, 0, 200, () => time);
    const reported: number[] = [];
    for (; time <= 500; time += 100) reported.push(meter.progressAt(time)?.arrivedBytes ?? -1);
    assert.deepEqual(reported, [0, -1, 200, -1, 400, -1]);
    // Within the interval that began at 400.
    time = 500;
    assert.equal(meter.progressAt(1000)?.arrivedBytes, 1000);
    time += 1000;
    assert.equal(meter.progressAt(1000), undefined);
  });
});
