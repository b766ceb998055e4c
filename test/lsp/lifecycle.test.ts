// Tests the server from initialize to shutdown: its capabilities, and its status while models load. Models are fakes.
import assert from 'node:assert/strict';
import { WrongValue } from '../../server/rules/userError';
import type { LoadModel } from '../../server/hosting/modelPool';
import type { HttpServing } from '../../server/hosting/httpServing';
import { Method } from '../../server/protocol/messages';
import { loading, ScriptedEngine } from './scriptedEngine';
import { scripted, serverInMemory } from './serverInMemory';

/** The pair that the settings name: the built-in one. */
const chosen = { target: '', drafter: '' };
const MODEL = {
  target: 'scripted',
  drafter: 'tiny',
  device: 'cpu',
  infill: 'fim',
  maxDraftTokens: 7,
  isBase: true,
} as const;
const MISSING = new WrongValue({ expected: 'config.json', got: 'no file', remedy: 'name a model' });

describe('the language server', () => {
  it('offers inline completion and incremental sync', async () => {
    const client = serverInMemory(loading(new ScriptedEngine()));
    const { capabilities, serverInfo, ...rest } = await client.initialize();
    assert.deepEqual([serverInfo?.name, rest], ['flashline', { serverProcessId: process.pid }]);
    assert.deepEqual(capabilities, {
      inlineCompletionProvider: true,
      textDocumentSync: 2,
      experimental: { copilotInlineEdit: true },
      executeCommandProvider: { commands: ['flashline.didAcceptNextEdit', 'flashline.didRejectNextEdit'] },
      workspace: { fileOperations: { didDelete: { filters: [{ pattern: { glob: '**/*' } }] } } },
    });
  });

  it('reports that it loads, the progress, and the loaded model', async () => {
    const { client } = await scripted();
    assert.deepEqual(client.statuses, [
      { state: 'loading', progress: 0, chosen },
      { state: 'loading', progress: 0.5, chosen },
      { state: 'ready', model: MODEL, chosen },
    ]);
  });

  it('loads nothing before the client is initialized', async () => {
    const load = loading(new ScriptedEngine());
    const client = serverInMemory(load);
    await client.connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
    const place = await client.open('a.ts', 'const a = ');
    assert.equal(await client.complete(place), null);
    assert.deepEqual(load.loads, []);
  });

  it('reports that it generates while a request runs, but not while its suggestion is typed', async () => {
    const { client, engine } = await scripted([['123;\n']]);
    let place = await client.open('a.ts', 'const a = ');
    await client.complete(place);
    await client.until(() => client.statuses.length === 5);
    for (const [i, digit] of [...'123'].entries()) {
      place = await client.type(place, digit, i + 2);
      assert.equal(await client.text(place), '123;'.slice(i + 1));
    }
    assert.deepEqual(client.statuses.slice(3), [
      { state: 'generating', model: MODEL, chosen },
      { state: 'ready', model: MODEL, chosen },
    ]);
    assert.equal(engine.decodes.length, 1);
  });

  it('reports why the model cannot be loaded, and loads another one once the settings name it', async () => {
    const load = loading(MISSING, new ScriptedEngine([['1']]));
    const client = serverInMemory(load);
    await client.initialize();
    await client.until(() => client.status?.state === 'error');
    assert.deepEqual(client.status, { state: 'error', message: MISSING.message, chosen });
    const place = await client.open('a.ts', 'const a = ');
    for (let key = 0; key < 3; key++) assert.equal(await client.complete(place), null);
    const request = { uri: place.uri, instruction: 'fill in', start: 0, end: 0 };
    await assert.rejects(client.generate(request), /No model is loaded/);
    await assert.rejects(client.compare(), /No model is loaded/);
    assert.deepEqual(await client.history(), []);
    assert.deepEqual(load.loads, [''], 'no request tries it again');
    await client.settings({ target: '/models/good', debounceMs: 0 });
    assert.equal(await client.text(place), '1');
    assert.deepEqual(load.loads, ['', '/models/good']);
  });

  it('shows only suggestions of the current model, and reuses them when that model is loaded again', async () => {
    const [first, second] = [new ScriptedEngine([['1;\n']]), new ScriptedEngine([['2;\n']])];
    const client = serverInMemory(loading(first, second, first));
    await client.start();
    const place = await client.open('a.ts', 'const a = ');
    for (const [target, text] of [
      ['', '1;'],
      ['other', '2;'],
      ['', '1;'],
    ] as const) {
      await client.settings({ debounceMs: 0, target });
      await client.until(() => client.status?.model?.target === `scripted ${target}`.trim());
      assert.equal(await client.text(place), text);
      assert.equal(await client.text(place), text);
    }
    assert.deepEqual([first.decodes.length, second.decodes.length], [1, 1]);
  });

  it('logs no control or invisible characters of an error', async () => {
    const client = serverInMemory(loading(new Error('a\u001b[2Jb\u202ec')));
    await client.initialize();
    await client.until(() => client.logs.some((line) => line.includes('[2Jb')));
    assert.ok(
      client.logs.some((line) => line.includes('a\u241b[2Jb\\u202ec')),
      client.logs.join(),
    );
    for (const character of ['\u001b', '\u202e']) assert.ok(!client.logs.join().includes(character));
  });

  it('passes settings to the server for other tools, and listens for its changes until the shutdown', async () => {
    const listeners = new Set<() => void>();
    const owners: object[] = [];
    const ports: number[] = [];
    const httpServing: HttpServing = {
      address: 'http://127.0.0.1:8080',
      start: (owner) => {
        owners.push(owner);
        return Promise.resolve('http://127.0.0.1:8080');
      },
      stop: () => Promise.resolve(),
      configure: (owner, { serve }) => {
        owners.push(owner);
        ports.push(serve.port);
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const { client } = await scripted([['1']], { httpServing });
    await client.connection.sendRequest(Method.startServing);
    await client.settings({ serve: { port: 1234 } });
    await client.quiet();
    assert.deepEqual(ports, [1234]);
    assert.deepEqual([owners.length, new Set(owners).size], [2, 1]);
    assert.equal(listeners.size, 1);
    await client.connection.sendRequest('shutdown');
    assert.equal(listeners.size, 0);
  });

  it('frees the model at shutdown, and answers null from then on', async () => {
    const { client, engine } = await scripted();
    await client.connection.sendRequest('shutdown');
    assert.equal(engine.disposed, true);
    assert.equal(await client.complete(await client.open('a.ts', 'const a = ')), null);
  });

  it('shuts down without waiting for a model that loads', async () => {
    const never: LoadModel = () => new Promise(() => undefined);
    const client = serverInMemory(never);
    await client.initialize();
    await client.until(() => client.status?.state === 'loading');
    assert.equal(await client.connection.sendRequest('shutdown'), null);
  });
});
