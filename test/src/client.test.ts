// Tests the connection to the server: the settings it sends, and its restarts. test/host/suite/recovery.test.ts tests
// restarts in VS Code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { Method, type ServingParams, type StatusParams } from '../../server/protocol/messages';
import { boundSocket, GREETING, socketFolder, socketName } from '../../server/socket/socketName';
import * as vscode from 'vscode';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
import { REACH_LIMIT_MS, type ServerProgram } from '../../src/connection/reachServer';
import { ManualClock, settled } from '../lsp/manualClock';
import { temporaryFolder } from '../support/temporaryFolder';
import { LanguageClient } from './support/fakeLanguageClient';

/** A window whose server answers when a test calls LanguageClient.started. */
class Window {
  readonly states: string[] = [];
  readonly statuses: string[] = [];
  readonly warnings: string[] = [];
  /** Error messages of the log. */
  readonly errors: string[] = [];
  /** Messages of the log at the level "info". */
  readonly infos: string[] = [];
  readonly rows: unknown[] = [];
  readonly addresses: unknown[] = [];
  target = 'a';
  /** Whether the listener for states of the connection throws. */
  listenerThrows = false;
  /** Called before a client is created. */
  onCreate: (() => void) | undefined;
  readonly client: FlashlineClient;

  /** Creates a window that shares the server of `program`, or has its own without one. */
  constructor(program?: ServerProgram) {
    this.client = new FlashlineClient({
      sharesServer: () => {
        this.onCreate?.();
        return program !== undefined;
      },
      log: {
        error: (message: string) => void this.errors.push(message),
        warn: (warning: string) => void this.warnings.push(warning),
        info: (message: string) => void this.infos.push(message),
      },
      serverSettings: () => ({ target: this.target }),
      program: program ?? { module: 'server.js' },
      middleware: () => ({}),
      onStatus: (status: StatusParams) => void this.statuses.push(status.state),
      onStats: (row: unknown) => void this.rows.push(row),
      onServing: ({ address }: ServingParams) => void this.addresses.push(address),
      onConnection: (state: string) => {
        this.states.push(state);
        if (this.listenerThrows) throw new Error('a listener throws');
      },
    } as unknown as ClientOptions);
  }
}

/** Starts a server that is listening as the shared one, greets, and then sends nothing. */
async function silentServer(): Promise<{ readonly program: ServerProgram; readonly server: Server }> {
  const [module, version] = [join(process.cwd(), 'package.json'), '0.0.0'];
  const environment = { XDG_RUNTIME_DIR: temporaryFolder() };
  const folder = socketFolder({ environment, temporaryFolder: '/nowhere', userId: process.getuid?.() });
  const { mtimeMs: writtenAt, size } = statSync(module);
  const identity = { version, bundle: module, writtenAt, size, node: process.execPath, environment };
  const name = socketName(folder, identity);
  const socket = boundSocket(name, 'silent');
  const server = createServer((client) => client.on('error', () => undefined).write(GREETING));
  await once(server.listen(socket), 'listening');
  symlinkSync(basename(socket), name);
  return { program: { module, version, environment }, server };
}

describe('the connection to the language server', () => {
  it('sends the settings at the start, and again only when they change, also during the start', async () => {
    const window = new Window();
    const change = (target: string): void => {
      window.target = target;
      window.client.sendSettings();
    };
    const { sentSettings } = await LanguageClient.started(window.client.start(), () => change('b'));
    assert.deepEqual(sentSettings, [{ target: 'a' }, { target: 'b' }]);
    for (const target of ['b', 'c', 'c']) change(target);
    assert.deepEqual(sentSettings.slice(2), [{ target: 'c' }]);
  });

  it('sends the indentation of the document in the active editor if it is known', async () => {
    const client = new Window().client;
    const library = await LanguageClient.started(client.start());
    library.answer = null;
    const document = { uri: vscode.Uri.file('/a.py') } as vscode.TextDocument;
    const context = {
      triggerKind: vscode.InlineCompletionTriggerKind.Automatic,
      selectedCompletionInfo: undefined,
    };
    const position = new vscode.Position(0, 0);
    const never = new vscode.CancellationTokenSource().token;
    const indentation = { tabSize: 2, insertSpaces: true };
    for (const [active, options, formatting] of [
      [document, indentation, indentation],
      [document, { ...indentation, indentSize: 2 }, indentation],
      [document, { tabSize: 'auto', insertSpaces: 'auto' }, undefined],
      [document, undefined, undefined],
      [{}, indentation, undefined],
    ] as const) {
      Object.assign(vscode.window, { activeTextEditor: { document: active, options } });
      await client.suggestions({ document, position, context }, () => undefined, never);
      assert.deepEqual((library.sent.at(-1)?.[1] as { formatting?: unknown }).formatting, formatting);
    }
    Object.assign(vscode.window, { activeTextEditor: undefined });
  });

  it('restarts after a listener has thrown, and after a failed start', async () => {
    const window = new Window();
    window.listenerThrows = true;
    await LanguageClient.started(window.client.start());
    window.listenerThrows = false;
    await LanguageClient.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
    window.onCreate = () => {
      throw new Error('no settings');
    };
    await assert.rejects(window.client.restart(), /no settings/);
    window.onCreate = undefined;
    await LanguageClient.started(window.client.restart());
    assert.equal(window.states.at(-1), 'running');
  });

  it('ignores the messages and the end of an earlier server after a restart', async () => {
    const window = new Window();
    const earlier = await LanguageClient.started(window.client.start());
    earlier.receive(Method.status, { state: 'ready' });
    const now = await LanguageClient.started(window.client.restart());
    now.receive(Method.status, { state: 'loading' });
    earlier.receive(Method.status, { state: 'asleep' });
    assert.deepEqual(window.statuses, ['ready', 'loading']);
    for (const [server, id] of [
      [earlier, 1],
      [now, 2],
    ] as const) {
      server.receive(Method.stats, { id });
      server.receive(Method.serving, { address: id });
    }
    assert.deepEqual([window.rows, window.addresses], [[{ id: 2 }], [2]]);
    const { length } = LanguageClient.made;
    earlier.close();
    await settled();
    assert.deepEqual([LanguageClient.made.length, window.states.at(-1)], [length, 'running']);
  });

  it('restarts a crashed server until its fifth crash; a restart by the user resets the count', async () => {
    const window = new Window();
    let server = await LanguageClient.started(window.client.start());
    for (let crash = 1; crash < 5; crash += 1) {
      server.close();
      // A failed request can report the same end.
      server.close();
      assert.equal(window.states.at(-1), 'restarting');
      server = await LanguageClient.started(Promise.resolve());
      await settled();
      assert.equal(window.states.at(-1), 'running');
    }
    assert.deepEqual(window.errors.splice(0), Array<string>(4).fill('The server exited; restarting it.'));
    const { length } = LanguageClient.made;
    server.close();
    await settled();
    assert.deepEqual([window.states.at(-1), LanguageClient.made.length], ['stopped', length]);
    assert.deepEqual(window.errors.splice(0), ['The server keeps crashing; not restarting it.']);
    await assert.rejects(window.client.request('x', {}), /not running.*Restart it/);
    server = await LanguageClient.started(window.client.restart());
    server.close();
    await LanguageClient.started(Promise.resolve());
    await settled();
    assert.equal(window.states.at(-1), 'running');
  });

  it('connects again after each end that a server has announced, without an error', async () => {
    const window = new Window();
    let server = await LanguageClient.started(window.client.start());
    for (let end = 0; end < 6; end += 1) {
      server.receive(Method.ending, {});
      server.close();
      server = await LanguageClient.started(Promise.resolve());
      await settled();
    }
    assert.deepEqual([window.states.at(-1), window.errors, window.infos.length], ['running', [], 6]);
  });

  it('does not restart a server that crashes after a request to stop it', async () => {
    const window = new Window();
    const starting = window.client.start();
    const stopping = window.client.stop();
    await settled();
    const server = LanguageClient.made.at(-1) ?? assert.fail();
    const { length } = LanguageClient.made;
    server.close();
    assert.equal(window.states.at(-1), 'restarting');
    await LanguageClient.started(starting);
    await stopping;
    await settled();
    assert.deepEqual([window.states.at(-1), LanguageClient.made.length], ['stopped', length]);
    window.client.sendSettings();
    assert.deepEqual([server.sent, window.errors], [[], []], 'nothing is sent to a stopped server');
  });

  it('logs a notification and a stop that fail, and restarts the server nevertheless', async () => {
    const window = new Window();
    const server = await LanguageClient.started(window.client.start());
    server.failure = new Error('closed');
    window.target = 'b';
    window.client.sendSettings();
    await settled();
    assert.deepEqual(window.errors, ['Sending a notification to the server failed.']);
    server.stop = () => Promise.reject(new Error('no answer'));
    await LanguageClient.started(window.client.restart());
    assert.deepEqual(window.warnings, ['The server did not stop on its own.']);
    assert.equal(window.states.at(-1), 'running');
  });

  it('uses a separate server when the shared one greets and then falls silent', async () => {
    const { program, server } = await silentServer();
    const clock = new ManualClock();
    const window = new Window(program);
    const before = LanguageClient.made.length;
    const starting = window.client.start();
    while (LanguageClient.made.length === before) await settled();
    await clock.pass(REACH_LIMIT_MS);
    assert.deepEqual(window.states, ['starting']);
    const separate = await LanguageClient.started(starting);
    assert.equal(LanguageClient.made.length, before + 2);
    assert.equal(typeof separate.server, 'object', 'the client gets a program to start, and no socket');
    assert.deepEqual(window.states, ['starting', 'running']);
    assert.deepEqual(window.warnings, ['The shared server does not answer, so this window starts its own.']);
    server.close();
    await once(server, 'close');
  });
});
