// Tests the connection to the server: the settings it sends, and its restarts. test/host/suite/recovery.test.ts tests
// restarts in VS Code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { Method, type StatusParams } from '../../server/protocol/messages';
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
      log: { error: () => undefined, warn: (warning: string) => void this.warnings.push(warning) },
      serverSettings: () => ({ target: this.target }),
      program: program ?? { module: 'server.js' },
      middleware: () => ({}),
      onStatus: (status: StatusParams) => void this.statuses.push(status.state),
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

  it('sends the indentation of a document once it is known', async () => {
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

  it('ignores the status of an earlier server that arrives after a restart', async () => {
    const window = new Window();
    const earlier = await LanguageClient.started(window.client.start());
    earlier.receive(Method.status, { state: 'ready' });
    const now = await LanguageClient.started(window.client.restart());
    now.receive(Method.status, { state: 'loading' });
    earlier.receive(Method.status, { state: 'asleep' });
    assert.deepEqual(window.statuses, ['ready', 'loading']);
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
