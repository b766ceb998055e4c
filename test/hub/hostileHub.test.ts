// Tests a hostile hub: whatever it lists, links to and sends, downloads stay within limits and their folder, no other
// host gets the token, and no model with wrong or missing files can be loaded from the cache.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { readRepository } from '../../server/hub/repository';
import { CERTIFICATE, COMMIT, HubServer, infoOf, sha256 } from '../support/hub/hubServer';
import {
  assertUnfinished,
  connectionTo,
  failure,
  MODEL,
  madeUpModel,
  pull,
  SHARDS,
  TOKEN,
} from '../support/hub/madeUpModel';
import { exitCode, spawnPull } from '../support/hub/spawnPull';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const [SHARD = ''] = SHARDS;
const { 'config.json': config = Buffer.alloc(0) } = model.files;

describe('a download from a hostile hub', () => {
  let server: HubServer;
  let cache: string;
  beforeEach(async () => {
    server = await HubServer.start({ [MODEL]: model });
    cache = temporaryFolder();
  });

  const failureMessage = (): Promise<string> => failure(pull(connectionTo(server, { token: TOKEN }), cache));
  /** Sets the answer to requests for the list of files; `page` counts them, from 1. */
  const listing = (answer: (response: ServerResponse, page: number) => unknown): void => {
    server.answer('/tree/', answer);
  };

  it('stops an endless listing after a hundred pages', async () => {
    listing((response, page) => {
      response.setHeader(
        'link',
        `<${server.url}/api/models/${MODEL}/tree/${COMMIT}?page=${page}>; rel="next"`,
      );
      response.end(JSON.stringify([{ type: 'file', path: `a${page}`, size: 1, oid: '0'.repeat(40) }]));
    });
    assert.match(await failureMessage(), /an oversized answer/);
    assert.equal(server.requests.filter(({ path }) => path.includes('/tree/')).length, 100);
  });

  it('reports a listing whose next page has an invalid address', async () => {
    listing((response) => {
      response.setHeader('link', '<https://[>; rel="next"');
      response.end('[]');
    });
    assert.match(await failureMessage(), / sent no usable listing of \S+ \(unexpected form\)/);
  });

  it('sends no token when a listing continues at another host', async () => {
    const otherHub = await HubServer.start({ [MODEL]: model });
    listing((response) => {
      response.setHeader('link', `<${otherHub.url}/api/models/${MODEL}/tree/${COMMIT}>; rel="next"`);
      response.end('[]');
    });
    await pull(connectionTo(server, { token: TOKEN }), cache);
    assert.ok(otherHub.requests.length > 0);
    assert.ok(otherHub.requests.every(({ authorization }) => authorization === undefined));
  });

  it('does not unpack a listing beyond its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100e6, ' '));
    listing((response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    assert.match(await failureMessage(), /an oversized answer/);
  });

  it('does not unpack a file beyond its listed size', async () => {
    const bomb = gzipSync(Buffer.alloc(100e6));
    server.answer(SHARD, (response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    assert.match(
      await failureMessage(),
      / sent an unusable answer about made-up\/model\..*\(more bytes than listed\)/,
    );
    assertUnfinished(cache);
  });

  for (const [what, size] of [
    ['negative', -1],
    ['not a number', '20'],
    ['too large to count', 2 ** 60],
    ['not an integer', 0.5],
  ] as const)
    it(`is refused when the size of a large file is ${what}`, async () => {
      listing((response) => {
        const lfs = { oid: sha256(Buffer.alloc(20)), size };
        response.end(JSON.stringify([{ type: 'file', path: SHARD, size: 20, oid: '0'.repeat(40), lfs }]));
      });
      assert.match(await failureMessage(), /no size or checksum/);
    });

  for (const [name, limit, size] of [
    ['config.json', '8.0 MB', 8_000_001],
    ['model.safetensors.index.json', '64 MB', 64_000_001],
  ] as const)
    it(`cannot fill the disk with a huge ${name}`, async () => {
      listing((response) => {
        const names = ['config.json', 'model.safetensors.index.json', SHARD];
        const entry = (path: string): object =>
          path === name
            ? { size, oid: '0'.repeat(40), lfs: { oid: '0'.repeat(64), size } }
            : { size: config.length, oid: '0'.repeat(40), lfs: { oid: sha256(config), size: config.length } };
        response.end(JSON.stringify(names.map((path) => ({ type: 'file', path, ...entry(path) }))));
      });
      assert.ok(
        (await failureMessage()).startsWith(`Expected at most ${limit} for ${name} of ${MODEL}, got`),
      );
      const downloads = server.requests.filter(
        ({ path }) => path.endsWith(name) && path.includes('/resolve/'),
      );
      assert.deepEqual(downloads, []);
    });

  for (const path of [
    '../evil.safetensors',
    '..',
    '/etc/model.safetensors',
    '..\\model.safetensors',
    'a\nb',
    // Begins and ends like a file of weights.
    'model/../../evil.safetensors',
  ])
    it(`writes nothing under the name ${JSON.stringify(path)}`, async () => {
      const bytes = Buffer.from('x');
      const listed = (name: string, content: Buffer): object => ({
        type: 'file',
        path: name,
        size: content.length,
        oid: '0'.repeat(40),
        lfs: { oid: sha256(content), size: content.length },
      });
      listing((response) =>
        response.end(JSON.stringify([listed('config.json', config), listed(path, bytes)])),
      );
      assert.match(await failureMessage(), /all weights as safetensors/);
      assert.deepEqual(readdirSync(cache).sort(), ['.locks', `models--${MODEL.replace('/', '--')}`]);
      assert.ok(server.requests.every((request) => !/evil|etc/.test(request.path)));
    });

  for (const [what, shard] of [
    ['lie above its folder', '../../../outside/x.safetensors'],
    ['have absolute paths', '/etc/passwd'],
    ['lie in a folder below', 'sub/model-1.safetensors'],
    ['are not texts', 7],
  ] as const)
    it(`refuses a model whose index names shards that ${what}`, async () => {
      const index = Buffer.from(JSON.stringify({ weight_map: { a: SHARD, b: shard } }));
      const files = { ...model.files, 'model.safetensors.index.json': index };
      const changedHub = await HubServer.start({ [MODEL]: { ...model, files } });
      assert.match(
        await failure(pull(connectionTo(changedHub), cache)),
        /config\.json and all weights as safetensors/,
      );
      assertUnfinished(cache);
    });

  it('gets a short licence without control characters, and the name of a licence that is "other"', async () => {
    for (const [cardData, expected] of [
      [{ license: 'mit\n\u001b[2J\u202e' }, 'mit\uFFFD\uFFFD[2J\uFFFD'],
      [{ license: 'other', license_name: 'for-research' }, 'for-research'],
      [{ license: 'other' }, 'other'],
      [{ license: 'mit', license_name: 'for-research' }, 'mit'],
      [{ license: 'x'.repeat(101) }, 'x'.repeat(100)],
      [{ license: ['mit'] }, undefined],
      [undefined, undefined],
    ] as const) {
      server.answer('/revision/', (response) =>
        response.end(JSON.stringify({ ...infoOf(MODEL, COMMIT, model), cardData })),
      );
      const { signal } = new AbortController();
      const { license } = await readRepository(connectionTo(server), MODEL, 'main', signal);
      assert.equal(license, expected);
    }
  });

  it('refuses a listing without a commit', async () => {
    for (const commit of [undefined, 'main', `${COMMIT}0`, COMMIT.toUpperCase()]) {
      server.answer('/revision/', (response) =>
        response.end(JSON.stringify({ ...infoOf(MODEL, COMMIT, model), sha: commit })),
      );
      assert.match(await failureMessage(), /sent no usable listing of \S+ \(no commit\)/);
    }
  });

  it('follows no redirect of an encrypted request to an unencrypted program of this machine', async () => {
    const secured = await HubServer.startSecured({ [MODEL]: model });
    const pullExitCode = (): Promise<unknown> =>
      exitCode(spawnPull(secured.url, temporaryFolder(), { NODE_EXTRA_CA_CERTS: CERTIFICATE }));
    assert.equal(await pullExitCode(), 0);
    secured.redirectTo = server.url;
    assert.notEqual(await pullExitCode(), 0);
    assert.deepEqual(server.requests, []);
  });
});
