// Tests downloads behind a proxy: unencrypted ones through it, encrypted ones in a tunnel, and its refusals.
import assert from 'node:assert/strict';
import { Hub } from '../../server/hub/hub';
import { CERTIFICATE, HubServer } from '../support/hub/hubServer';
import { assertWhole, MODEL, madeUpModel, pull, TOKEN } from '../support/hub/madeUpModel';
import { ProxyServer } from '../support/hub/proxyServer';
import { exitCode, spawnPull } from '../support/hub/spawnPull';
import { temporaryFolder } from '../support/temporaryFolder';

const model = madeUpModel();
const PASSWORD = 'p%40ss';
const ALLOWED = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;

describe('the Hub behind a proxy', () => {
  let proxy: ProxyServer;
  beforeEach(async () => (proxy = await ProxyServer.start(ALLOWED)));
  /** Lets retries happen without pauses. */
  const wait = (): Promise<void> => Promise.resolve();

  it('downloads through a proxy with a password', async () => {
    const server = await HubServer.start({ [MODEL]: model });
    const env = { HTTP_PROXY: `http://me:${PASSWORD}@${proxy.host}`, HF_TOKEN: TOKEN };
    const cache = temporaryFolder();
    await pull(new Hub({ endpoint: server.url, env, wait }), cache);
    assertWhole(cache, model);
    assert.equal(proxy.reached.length, server.requests.length);
    assert.ok(proxy.reached.every((address) => address.startsWith(server.url)));
    assert.ok(server.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`));
  });

  it('opens a tunnel to an encrypted hub with a trusted certificate', async () => {
    const server = await HubServer.startSecured({ [MODEL]: model });
    const cache = temporaryFolder();
    const env = { HTTPS_PROXY: `http://me:${PASSWORD}@${proxy.host}`, NODE_EXTRA_CA_CERTS: CERTIFICATE };
    assert.equal(await exitCode(spawnPull(server.url, cache, env)), 0);
    assertWhole(cache, model);
    assert.ok(proxy.reached.every((address) => address === `localhost:${String(server.port)}`));
    assert.ok(proxy.reached.length > 0 && server.requests.length > 0);
  });

  it('reports that the proxy refuses, without its password', async () => {
    const env = { HTTPS_PROXY: `http://me:wrong@${proxy.host}` };
    const connection = new Hub({ endpoint: 'https://localhost:12345', env, wait });
    await assert.rejects(pull(connection, temporaryFolder()), (error: Error) => {
      assert.match(error.message, /Check your network or proxy\. \(Proxy response \(407\)/);
      assert.doesNotMatch(error.message, /wrong/);
      return true;
    });
  });

  it('sends the proxy a user name without a password', async () => {
    const server = await HubServer.start({ [MODEL]: model });
    const passwordlessProxy = await ProxyServer.start(`Basic ${Buffer.from('me:').toString('base64')}`);
    const env = { HTTP_PROXY: `me@${passwordlessProxy.host}`, HF_TOKEN_PATH: '/nowhere' };
    const cache = temporaryFolder();
    await pull(new Hub({ endpoint: server.url, env, wait }), cache);
    assertWhole(cache, model);
  });

  const environments: readonly (readonly [isProxied: boolean, env: Record<string, string>])[] = [
    [false, {}],
    [true, { HTTP_PROXY: 'PROXY' }],
    [true, { http_proxy: 'PROXY', HTTP_PROXY: 'http://localhost:1' }],
    [false, { HTTPS_PROXY: 'PROXY' }],
    [true, { ALL_PROXY: 'PROXY' }],
    [false, { HTTP_PROXY: 'PROXY', NO_PROXY: 'x.y, HOST' }],
    [false, { HTTP_PROXY: 'PROXY', NO_PROXY: 'HOST:PORT' }],
    [true, { HTTP_PROXY: 'PROXY', NO_PROXY: 'HOST:80' }],
    [true, { HTTP_PROXY: 'PROXY', NO_PROXY: 'xHOST' }],
    [false, { HTTP_PROXY: 'PROXY', no_proxy: '*' }],
  ];
  for (const [isProxied, variables] of environments)
    it(`goes ${isProxied ? 'through a proxy' : 'directly'} with ${JSON.stringify(variables)}`, async () => {
      const server = await HubServer.start({ [MODEL]: model });
      const { hostname, port } = new URL(server.url);
      const entries = Object.entries(variables).map(([name, value]) => [
        name,
        value
          .replace('PROXY', `me:${PASSWORD}@${proxy.host}`)
          .replace('HOST', hostname)
          .replace('PORT', port),
      ]);
      const { fetch } = new Hub({
        endpoint: server.url,
        env: Object.fromEntries(entries) as NodeJS.ProcessEnv,
      });
      const signal = AbortSignal.timeout(60_000);
      await (await fetch(`${server.url}/nothing`, { headers: {}, signal })).text();
      assert.equal(proxy.reached.length, Number(isProxied));
    });

  for (const [HTTPS_PROXY, got] of [
    ['socks5://p:1', 'one with socks5:'],
    ['http://me:50%off@p:1', 'a login in which % is not written as %25'],
    ['http://50%off@p:1', 'a login in which % is not written as %25'],
  ] as const)
    it(`refuses the proxy ${HTTPS_PROXY} immediately`, async () => {
      const never = (): Promise<void> => Promise.reject(new Error('tried again'));
      const env = { HTTPS_PROXY };
      const connection = new Hub({ endpoint: 'https://localhost:12345', env, wait: never });
      await assert.rejects(
        pull(connection, temporaryFolder()),
        new RegExp(`an http or https proxy .* got ${got};`),
      );
    });
});
