// Tests several windows with one server process: one model in memory serves all, and windows do not disturb each other.
// The model is a fake; test/e2e/twoWindows.test.ts uses the embedded one.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import {
  CancellationTokenSource,
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { settle } from '../../server/completion/session/settle';
import { LanguageServer } from '../../server/lsp/languageServer';
import { Method } from '../../server/protocol/messages';
import { poolOf } from '../support/poolOf';
import { SUGGESTIONS_ONLY } from '../support/suggestionsOnly';
import { EditorClient } from './editorClient';
import { Pauses } from './pauses';
import { loading, LONG, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

describe('two windows that share a server', () => {
  it('share one model, keep requests of both running, and report each request to its window only', async () => {
    const engine = new ScriptedEngine([LONG, ['2;\n']], 2);
    const load = loading(engine);
    const pool = poolOf(load);
    const [first, second] = [serverInMemory(pool), serverInMemory(pool)];
    await Promise.all([first.start(), second.start()]);
    const older = first.complete(await first.open('a.ts', 'const a = '));
    await first.until(() => first.status?.state === 'generating');
    assert.equal(await second.text(await second.open('b.ts', 'const b = ')), '2;');
    assert.equal(engine.decodes[0]?.ended, undefined);
    const states = second.statuses.map(({ state }) => state);
    assert.equal(states.filter((state) => state === 'generating').length, 1);
    assert.equal((await second.history()).length, 1);
    assert.deepEqual(load.loads, ['']);
    assert.equal(await first.text(await first.open('c.ts', 'const c = ')), '2;');
    assert.equal(await older, null);
  });

  it('prefill no prompt of one window while the other waits for an answer', async () => {
    const engine = new ScriptedEngine([LONG], 2);
    const pool = poolOf(loading(engine));
    const pauses = new Pauses();
    const [first, second] = [serverInMemory(pool), serverInMemory(pool, { settle: pauses.settle })];
    for (const window of [first, second]) await window.start({ prefetch: 'always' });
    const source = new CancellationTokenSource();
    const answer = first.complete(await first.open('a.ts', 'const a = '), { token: source.token });
    await first.until(() => engine.running === 1);
    const place = await second.open('b.ts', 'const b = ');
    await second.rest(place);
    await second.quiet();
    assert.equal(pauses.waiting, 0);
    source.cancel();
    await answer;
    await first.until(() => engine.running === 0);
    await second.rest(place);
    await second.until(() => pauses.waiting === 1);
  });
});

describe('a window whose model cannot be loaded', () => {
  it('reports no status of its fallback for a model that it chooses and another window has loaded', async () => {
    const pool = poolOf((name) => {
      if (name.target === 'bad') throw new Error('broken weights');
      const { target } = name;
      return Promise.resolve({
        engine: new ScriptedEngine(),
        target,
        drafter: undefined,
        remember: () => undefined,
      });
    });
    const [first, second] = [serverInMemory(pool), serverInMemory(pool)];
    await first.start({ target: 'good' });
    await second.start({ target: 'old' });
    await second.settings({ target: 'bad' });
    await second.until(() => second.status?.fallback !== undefined);
    await second.settings({ target: 'good' });
    await second.until(() => second.status?.model?.target === 'good');
    const statuses = second.statuses.filter(({ chosen }) => chosen?.target === 'good');
    assert.deepEqual(
      statuses.map(({ state, model, fallback }) => [state, model?.target, fallback]),
      [['ready', 'good', undefined]],
    );
  });
});

describe('a window that has closed', () => {
  it('has its requests cancelled immediately, and its models released when the server ends it', async () => {
    const engine = new ScriptedEngine([LONG], 2);
    const pool = poolOf(loading(engine));
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    const reader = new StreamMessageReader(toServer);
    const connection = createConnection(ProposedFeatures.all, reader, new StreamMessageWriter(toClient));
    const pluggedIn = (): Promise<boolean> => Promise.resolve(false);
    const served = LanguageServer.start({ ...SUGGESTIONS_ONLY, connection, pool, settle, pluggedIn });
    const client = new EditorClient(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
    await client.start();
    const place = await client.open('a.ts', 'const a = ');
    void client.complete(place).catch(() => undefined);
    const generated = { ...place, instruction: 'go on', start: 0, end: 0 };
    for (const method of [Method.generate, Method.generate])
      void client.connection.sendRequest(method, generated).catch(() => undefined);
    await client.until(() => engine.decodes.length === 3);
    served.cancel();
    await client.until(() => engine.decodes.every(({ ended }) => ended === 'cancelled'));
    assert.equal(engine.disposed, false);
    await served.end();
    assert.equal(engine.disposed, true);
    await served.end();
  });
});

describe('the first edit', () => {
  /** Creates a client of a server that loads models when they are needed. */
  async function asleepClient() {
    const load = loading(new ScriptedEngine([['1;\n']]));
    const client = serverInMemory(load);
    await client.initialize({ load: 'firstUse', debounceMs: 0 });
    await client.until(() => client.status?.state === 'asleep');
    return { client, load };
  }

  it('loads the models before any request', async () => {
    const { client, load } = await asleepClient();
    const place = await client.open('a.ts', 'const a =║');
    await client.history();
    assert.deepEqual(load.loads, [], 'an open document alone loads nothing');
    for (const [i, key] of [...' 1;'].entries()) await client.type(place, key, i + 2);
    await client.until(() => client.status?.state === 'ready');
    assert.deepEqual(
      client.statuses.map(({ state }) => state),
      ['asleep', 'loading', 'loading', 'ready'],
    );
    assert.equal(load.loads.length, 1);
  });

  it('loads nothing where suggestions are not possible', async () => {
    const { client, load } = await asleepClient();
    await client.type(await client.open('.env', 'KEY=║', 'plaintext'), 'x', 2);
    await client.history();
    assert.deepEqual(load.loads, []);
  });

  it('loads nothing in a disabled language, even after a suggestion in an enabled one', async () => {
    const { client, load } = await asleepClient();
    const code = await client.open('a.ts', 'const a = ');
    assert.equal(await client.text(code), '1;');
    // The models are freed, and then edited files load them again.
    await client.settings({ load: 'firstUse', debounceMs: 0, unloadAfterMinutes: 1e-6 });
    await client.until(() => client.status?.state === 'asleep');
    await client.type(await client.open('notes.md', 'Some ║', 'markdown'), 'x', 2);
    await client.history();
    assert.equal(load.loads.length, 1);
    await client.type(code, ' ', 2);
    await client.until(() => load.loads.length === 2);
  });

  it('loads nothing while a battery pauses suggestions', async () => {
    const load = loading(new ScriptedEngine([['1;\n']]));
    const client = serverInMemory(load, { pluggedIn: () => Promise.resolve(false) });
    await client.initialize({ load: 'firstUse', debounceMs: 0, pauseOnBattery: true });
    const place = await client.open('a.ts', 'const a =║');
    assert.equal(await client.complete(place), null);
    await client.type(place, ' ', 2);
    await client.history();
    assert.deepEqual(load.loads, []);
  });
});
