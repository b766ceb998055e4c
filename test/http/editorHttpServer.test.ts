// Tests the HTTP server for other tools in a process that serves windows: a window starts it, all windows get
// its address, and it uses models that are in memory already.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { settle } from '../../server/completion/session/settle';
import { EditorHttpServer } from '../../server/http/editorHttpServer';
import { PairLoader } from '../../server/programs/pairLoader';
import type { PairName } from '../../server/hosting/pairName';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { LanguageServer } from '../../server/lsp/languageServer';
import { Method, type ClientSettings, type ServingParams } from '../../server/protocol/messages';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { until } from '../editor/waiting';
import { ControlledLoads } from '../lsp/controlledLoads';
import type { EditorClient } from '../lsp/editorClient';
import { loading, LONG, ScriptedEngine } from '../lsp/scriptedEngine';
import { serverInMemory } from '../lsp/serverInMemory';
import { poolOf } from '../support/poolOf';
import { SUGGESTIONS_ONLY } from '../support/suggestionsOnly';
import { at } from './answers';

const SETTINGS = { device: 'cpu', serve: { port: 0 } } as const;

describe('the server for other tools', function () {
  this.timeout(600_000);
  let loads = 0;
  const pool = poolOf((...args) => {
    loads += 1;
    return new PairLoader().load(...args);
  });
  const serving = new EditorHttpServer(pool);
  let [one, two]: EditorClient[] = [];
  const receivedAddresses = new Map<EditorClient, (string | null)[]>();
  const openedWindow = async (): Promise<EditorClient> => {
    const window = serverInMemory(pool, { httpServing: serving });
    const received: (string | null)[] = [];
    receivedAddresses.set(window, received);
    window.connection.onNotification(
      Method.serving,
      ({ address }: ServingParams) => void received.push(address),
    );
    await window.start(SETTINGS);
    return window;
  };
  const ask = (window: EditorClient | undefined, method: string): Promise<ServingParams> =>
    window?.connection.sendRequest(method, {}) ?? assert.fail();
  const addressesOf = (window: EditorClient | undefined) => (window && receivedAddresses.get(window)) ?? [];

  before(async () => {
    one = await openedWindow();
    two = await openedWindow();
  });
  after(async () => {
    await serving.stop();
    for (const window of [one, two]) window?.connection.end();
  });

  it('is off until a window starts it, then gives all windows its address and loads the model once', async () => {
    assert.equal(serving.address, undefined);
    assert.deepEqual([addressesOf(one), addressesOf(two)], [[], []]);
    const { address } = await ask(one, Method.startServing);
    assert.match(address ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    await until(
      'both windows get the address',
      () => addressesOf(one).at(-1) === address && addressesOf(two).at(-1) === address,
    );
    assert.deepEqual(await (await fetch(`${address}/health`)).json(), { status: 'ok' });
    const response = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'def add(a, b):\n    return', max_tokens: 3 }),
    });
    assert.equal(at(await response.json(), 'choices.0.text'), ' a + b');
    assert.equal(loads, 1);
    assert.equal((await ask(two, Method.startServing)).address, address);
    const third = await openedWindow();
    await until('a later window gets the address', () => addressesOf(third).at(-1) === address);
    third.connection.end();
  });

  it('is stopped by any window', async () => {
    const { address } = await ask(one, Method.startServing);
    assert.deepEqual(await ask(two, Method.stopServing), { address: null });
    await until(
      'both windows receive that it has stopped',
      () => addressesOf(one).at(-1) === null && addressesOf(two).at(-1) === null,
    );
    await assert.rejects(fetch(`${address}/health`));
    assert.deepEqual(await ask(two, Method.stopServing), { address: null });
  });

  it('starts while resources of a closed window are not released yet', async () => {
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    const reader = new StreamMessageReader(toServer);
    const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
    const served = LanguageServer.start({
      ...SUGGESTIONS_ONLY,
      connection,
      pool,
      settle,
      pluggedIn: () => Promise.resolve(false),
      httpServing: serving,
    });
    const closed = new Promise<void>((resolve) => void reader.onClose(resolve));
    toServer.destroy();
    await closed;
    const { address } = await ask(one, Method.startServing);
    assert.match(address ?? '', /^http:/);
    await ask(one, Method.stopServing);
    await served.end();
  });

  it('reports why it cannot start', async () => {
    const { address } = await ask(one, Method.startServing);
    const secondServer = new EditorHttpServer(pool);
    const window = serverInMemory(pool, { httpServing: secondServer });
    await window.initialize({ ...SETTINGS, serve: { port: Number(new URL(address ?? '').port) } });
    await assert.rejects(ask(window, Method.startServing), /another program uses it\)\. Choose another/);
    assert.equal(secondServer.address, undefined);
    window.connection.end();
  });
});

function complete(address: string): Promise<Response> {
  return fetch(`${address}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'x' }),
  });
}

describe('the settings of the server for other tools', () => {
  const loads = new ControlledLoads();
  const serving = new EditorHttpServer(poolOf(loads.load));
  after(() => serving.stop());

  it('come from the window that started it, even when another window changes its settings', async () => {
    const [owner, otherWindow] = [{}, {}];
    const settings = { ...DEFAULT_SETTINGS, serve: { port: 0 } };
    const address = await serving.start(owner, { ...settings, target: 'one' }, () => undefined);
    await fetch(`${address}/v1/models`);
    serving.configure(otherWindow, { ...settings, target: 'another' });
    await fetch(`${address}/v1/models`);
    assert.deepEqual(loads.targets, ['one']);
    serving.configure(owner, { ...settings, target: 'two' });
    await fetch(`${address}/v1/models`);
    assert.deepEqual(loads.targets, ['one', 'two']);
  });

  it('apply to the next request when they change, even while the server starts', async () => {
    const loads = new ControlledLoads();
    const serving = new EditorHttpServer(poolOf(loads.load));
    const owner = {};
    const settings = { ...DEFAULT_SETTINGS, serve: { port: 0 } };
    const starting = serving.start(owner, { ...settings, target: 'one' }, () => undefined);
    serving.configure(owner, { ...settings, target: 'two', draftLength: 3 });
    const address = await starting;
    const draftLength = async (): Promise<unknown> => {
      await complete(address);
      return loads.engines.at(-1)?.decodes.at(-1)?.options.draftLength;
    };
    assert.equal(await draftLength(), 3);
    assert.deepEqual(loads.targets, ['two']);
    serving.configure(owner, { ...settings, target: 'two', draftLength: 5 });
    assert.equal(await draftLength(), 5);
    await serving.stop();
  });
});

describe('the models of the server for other tools', () => {
  it('are local, and loaded with the first request, whatever the window uses', async () => {
    const loads = new ControlledLoads();
    const names: PairName[] = [];
    const pool = poolOf((name, ...rest) => {
      names.push(name);
      return loads.load(name, ...rest);
    });
    const serving = new EditorHttpServer(pool);
    const settings: ClientSettings = {
      ...DEFAULT_SETTINGS,
      serve: { port: 0 },
      load: 'start',
      enable: { '*': false },
      target: 'one',
      draftLength: 'full',
      drafter: 'ngram-mod',
      remote: { ...NO_REMOTE, url: '/bin/llama-server', model: 'm' },
    };
    const address = await serving.start({}, settings, () => undefined);
    assert.equal(names.length, 0);
    assert.equal((await complete(address)).status, 200);
    const used = names.map((name) => [name.target, name.drafter, name.remote?.url]);
    assert.deepEqual(used, [['one', '', '']]);
    assert.equal(loads.engines[0]?.decodes[0]?.options.draftLength, 'full');
    assert.equal(loads.engines[0].disposed, false, 'the next request needs it too');
    await serving.stop();
  });
});

describe('the address of the server for other tools', () => {
  it('is reported to a listener at each change, until the listener leaves', async () => {
    const serving = new EditorHttpServer(poolOf(new ControlledLoads().load));
    let changes = 0;
    const leave = serving.onChange(() => (changes += 1));
    await serving.start({}, { ...DEFAULT_SETTINGS, serve: { port: 0 } }, () => undefined);
    await serving.stop();
    assert.equal(changes, 2);
    leave();
    await serving.stop();
    assert.equal(changes, 2);
  });
});

describe('access to the server for other tools', () => {
  it('is possible on this machine only, and refused to web pages and under other host names', async () => {
    const serving = new EditorHttpServer(poolOf(new ControlledLoads().load));
    const address = await serving.start({}, { ...DEFAULT_SETTINGS, serve: { port: 0 } }, () => undefined);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    for (const [headers, status] of [
      [{}, 200],
      [{ origin: 'https://example.com' }, 403],
      [{ host: 'example.com' }, 403],
    ] as const) {
      const [answer] = (await once(get(`${address}/v1/models`, { headers }), 'response')) as [
        IncomingMessage,
      ];
      answer.resume();
      assert.equal(answer.statusCode, status, JSON.stringify(headers));
    }
    await serving.stop();
  });
});

describe('a stopped server for other tools', () => {
  it('gives a running request a second, not ten, as the user waits', async () => {
    const serving = new EditorHttpServer(poolOf(loading(new ScriptedEngine([LONG], 1))));
    const address = await serving.start({}, { ...DEFAULT_SETTINGS, serve: { port: 0 } }, () => undefined);
    const running = await fetch(`${address}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'x', stream: true, max_tokens: 9_999 }),
    });
    const stopped = serving.stop().then(() => 'stopped');
    const late = pause(8_000, 'late', { ref: false });
    assert.equal(await Promise.race([stopped, late]), 'stopped');
    assert.match(await running.text(), /"code":"server_stopping"\}\}\n\n$/);
  });

  it('frees its model', async () => {
    const loads = new ControlledLoads();
    const serving = new EditorHttpServer(poolOf(loads.load));
    const settings = { ...DEFAULT_SETTINGS, serve: { port: 0 } };
    const address = await serving.start({}, settings, () => undefined);
    await fetch(`${address}/v1/models`);
    assert.equal(loads.engines[0]?.disposed, false);
    await serving.stop();
    assert.equal(loads.engines[0].disposed, true);
  });
});
