// Tests who can use the HTTP server: API keys, host names and origins of web pages.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { flashline } from '../cli/flashline';
import { temporaryFolder } from '../support/temporaryFolder';
import { at } from './answers';
import { ScriptedServer } from './scriptedServer';
import { ServedPair } from './servedPair';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = 'correct-horse-battery-staple';
const ORIGIN = 'https://app.example';

describe('access to the HTTP server', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start({
      access: { hosts: ['gpu.example'], corsOrigins: [ORIGIN], apiKey: KEY },
    });
  });
  after(() => served.end());

  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    await new Promise((resolve, reject) => {
      request(`${served.address}${path}`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  const authorization = `Bearer ${KEY}`;

  it('needs the key for each path except /health', async () => {
    for (const path of ['/health', '/v1/health']) assert.equal(await status(path, {}), 200, path);
    for (const path of ['/v1/models', '/metrics', '/props', '/nowhere'])
      for (const headers of [
        {},
        { authorization: 'Bearer ' },
        { authorization: `Basic ${KEY}` },
        { authorization: KEY },
      ])
        assert.equal(await status(path, headers), 401, path);
    assert.equal(await status('/v1/models', { authorization: `Bearer ${KEY}x` }), 401);
    for (const scheme of ['Bearer', 'bearer', 'BEARER '])
      assert.equal(await status('/v1/models', { authorization: `${scheme} ${KEY}` }), 200, scheme);
    const { headers, body } = await served.get('/v1/models');
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.equal(at(body, 'error.code'), 'invalid_api_key');
  });

  it('announces that idle connections stay open for 75 s', async () => {
    // Clients close idle connections after a minute at most, so the server closes none on which a request arrives.
    const { headers } = await served.get('/v1/models');
    assert.match(headers.get('keep-alive') ?? '', /^timeout=75$/);
  });

  it('allows a Host header with an IP address, localhost or an allowed name, on any port, and no other', async () => {
    for (const host of ['LOCALHOST:1', '127.0.0.1:9000', '[::1]:8080', 'gpu.example:80', '10.1.2.3'])
      assert.equal(await status('/v1/models', { host, authorization }), 200, host);
    const evil = 'evil.example localhost.evil.example evil-localhost evil.localhost evil.gpu.example';
    for (const host of [...evil.split(' '), '127.0.0.1.evil.example', 'gpu.example.evil', 'notlocalhost:80'])
      assert.equal(await status('/v1/models', { host, authorization }), 403, host);
  });

  it('lets pages of allowed origins read answers, and no other pages', async () => {
    const allowed = await served.get('/v1/models', { origin: ORIGIN, authorization });
    assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [200, ORIGIN]);
    const fields = { prompt: 'def f():', max_tokens: 1 };
    for (const body of [fields, { ...fields, stream: true }, {}]) {
      const { headers } = await served.post('/v1/completions', body, { origin: ORIGIN, authorization });
      const readHeaders = [headers.get('access-control-allow-origin'), headers.get('vary')];
      assert.deepEqual(readHeaders, [ORIGIN, 'Origin'], JSON.stringify(body));
    }
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`, 'http://app.example']) {
      const refused = await served.get('/v1/models', { origin, authorization });
      assert.deepEqual(
        [refused.status, refused.headers.get('access-control-allow-origin')],
        [403, null],
        origin,
      );
    }
    const preflight = await fetch(`${served.address}/v1/completions`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    assert.equal(preflight.status, 204);
    const allows = ['allow-headers', 'allow-methods', 'max-age'].map((name) =>
      preflight.headers.get(`access-control-${name}`),
    );
    assert.deepEqual(allows, ['authorization,content-type', 'GET,POST', '600']);
  });

  it('has an error code for a refused origin and one for a refused host', async () => {
    const code = async (headers: Record<string, string>): Promise<unknown> =>
      at((await served.get('/v1/models', headers)).body, 'error.code');
    assert.equal(await code({ origin: 'https://evil.example', authorization }), 'origin_not_allowed');
    const { status: refused, body } = await new Promise<{ status?: number; body: string }>((resolve) => {
      request(`${served.address}/health`, { headers: { host: 'evil.example' } }, (response) => {
        void text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }));
      }).end();
    });
    assert.deepEqual([refused, at(JSON.parse(body), 'error.code')], [403, 'host_not_allowed']);
  });

  it('lets all pages read answers if all origins are allowed', async () => {
    const open = await ScriptedServer.start(undefined, { access: { hosts: [], corsOrigins: ['*'] } });
    for (const origin of [ORIGIN, 'null']) {
      const { status: answered, headers } = await open.post('/v1/completions', { prompt: 'x' }, { origin });
      assert.deepEqual([answered, headers.get('access-control-allow-origin')], [200, '*'], origin);
    }
    await open.server.stop(0);
  });

  it('lets only pages of allowed origins reach a private address from the internet', async () => {
    const preflight = async (origin: string, headers: Record<string, string>) => {
      const method = { 'access-control-request-method': 'POST' };
      const request = { method: 'OPTIONS', headers: { origin, ...method, ...headers } };
      const answer = await fetch(`${served.address}/v1/completions`, request);
      return [answer.status, answer.headers.get('access-control-allow-private-network')];
    };
    const requestsPrivate = { 'access-control-request-private-network': 'true' };
    assert.deepEqual(await preflight(ORIGIN, requestsPrivate), [204, 'true']);
    assert.deepEqual(await preflight(ORIGIN, {}), [204, null]);
    assert.deepEqual(await preflight('https://evil.example', requestsPrivate), [403, null]);
  });

  /** Returns the error of `flashline serve` when it does not start because of its arguments. */
  const complaint = async (args: readonly string[], env = {}): Promise<string> => {
    const { code, stderr } = await flashline(['serve', ...args], { env: { ...process.env, ...env } });
    assert.equal(code, 2, stderr);
    return stderr;
  };

  it('is not offered beyond this machine without an API key', async () => {
    assert.match(await complaint(['--host', '0.0.0.0']), /--host 0\.0\.0\.0, so it needs an API key/);
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, ' \n');
    assert.match(await complaint(['--host', '0.0.0.0', '--api-key-file', file]), /got nothing/);
  });

  it('is not offered with an unusable API key, key file, origin or port', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, KEY);
    assert.match(await complaint(['--api-key-file', join(file, 'none')]), /Expected an API key in/);
    assert.match(await complaint([], { FLASHLINE_API_KEY: 'ä' }), /FLASHLINE_API_KEY/);
    for (const origin of ['https://app.example/', 'app.example', 'null'])
      assert.match(await complaint(['--cors-origin', origin]), /--cors-origin to be an origin such as/);
    const { port } = new URL(served.address);
    assert.match(await complaint(['--port', port]), /another program uses it/);
    assert.match(await complaint(['--port', '70000']), /--port to be a whole number from 0 to 65535/);
  });
});
