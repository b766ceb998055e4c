// Tests the connection to the server: the settings it sends, and its restarts. test/host/suite/recovery.test.ts tests
// restarts in VS Code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { INLINE_COMPLETION, Method } from '../../server/protocol/messages';
import { GREETING, logOf } from '../../server/socket/socketName';
import * as vscode from 'vscode';
import { FlashlineClient, type ClientOptions } from '../../src/connection/client';
import { REACH_LIMIT_MS, type ServerProgram } from '../../src/connection/reachServer';
import { SELECTOR } from '../../src/gate/gate';
import { ManualClock, settled } from '../lsp/manualClock';
import { listenAs, sharedName } from '../support/sharedSocket';
import { temporaryFolder } from '../support/temporaryFolder';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  TransportKind,
} from './support/fakeLanguageClient';

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
  /** Called before a client is created. */
  onCreate: (() => void) | undefined;
  readonly log = {
    error: (message: string) => void this.errors.push(message),
    warn: (warning: string) => void this.warnings.push(warning),
    info: (message: string) => void this.infos.push(message),
  };
  readonly client: FlashlineClient;

  /** Creates a window that shares the server of `program`, or has its own without one. */
  constructor(program?: ServerProgram) {
    this.client = new FlashlineClient({
      sharesServer: () => {
        this.onCreate?.();
        return program !== undefined;
      },
      log: this.log,
      serverSettings: () => ({ target: this.target }),
      program: program ?? { module: 'server.js' },
    } as unknown as ClientOptions);
    this.client.onDidReceiveStatus(({ state }) => this.statuses.push(state));
    this.client.onDidReceiveStats((row) => this.rows.push(row));
    this.client.onDidReceiveServing(({ address }) => this.addresses.push(address));
    this.client.onDidChangeState((state) => this.states.push(state));
  }
}

interface SilentServer {
  readonly program: ServerProgram;
  readonly server: Server;
  /** Path of its socket. */
  readonly socket: string;
  /** Connections of windows, oldest first. */
  readonly connections: readonly Socket[];
}

/** Starts a server that is listening as the shared one, greets, and then sends nothing. */
async function silentServer(): Promise<SilentServer> {
  const [module, version] = [join(process.cwd(), 'package.json'), '0.0.0'];
  const environment = { XDG_RUNTIME_DIR: temporaryFolder() };
  const program = { module, version, environment };
  const connections: Socket[] = [];
  const server = createServer((client) => {
    connections.push(client.resume());
    client.on('error', () => undefined).write(GREETING);
  });
  const socket = await listenAs(sharedName(program), 'silent', server);
  return { program, server, socket, connections };
}

/** Resolves with the client that `begin` creates once it has found the shared server, and starts it. */
async function reached(begin: () => Promise<void>): Promise<LanguageClient> {
  const { length } = LanguageClient.made;
  const beginning = begin();
  while (LanguageClient.made.length === length) await settled();
  return await LanguageClient.started(beginning);
}

describe('the connection to the language server', () => {
  it('sends the settings at the start, and again only when they change, even during the start', async () => {
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

  it('waits for the first start, even a failed one, but not longer than the limit', async () => {
    for (const hasFailed of [false, true]) {
      const { client } = new Window();
      await client.waitForFirstStart(1);
      let hasEnded = false;
      const wait = client.waitForFirstStart(60_000).then(() => (hasEnded = true));
      const starting = client.start();
      await settled();
      assert.equal(hasEnded, false);
      if (hasFailed) LanguageClient.made.at(-1)?.failToStart(new Error('no addon'));
      else await LanguageClient.started(starting);
      await wait;
      assert.equal(client.isRunning, !hasFailed);
    }
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
      [document, { tabSize: 16, insertSpaces: false }, { tabSize: 16, insertSpaces: false }],
      [document, { tabSize: 17, insertSpaces: false }, undefined],
      [document, { tabSize: 'auto', insertSpaces: 'auto' }, undefined],
      [document, { tabSize: 2, insertSpaces: 'auto' }, undefined],
      [{}, indentation, undefined],
    ] as const) {
      Object.assign(vscode.window, { activeTextEditor: { document: active, options } });
      await client.suggestions({ document, position, context }, () => undefined, never);
      assert.deepEqual((library.sent.at(-1)?.[1] as { formatting?: unknown }).formatting, formatting);
    }
    Object.assign(vscode.window, { activeTextEditor: undefined });
  });

  it('restarts after a failed start', async () => {
    const window = new Window();
    await LanguageClient.started(window.client.start());
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
    await assert.rejects(window.client.request(Method.compare, {}), /not running.*Restart it/);
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
    assert.deepEqual(window.states, ['starting', 'restarting', 'stopped']);
    window.client.sendSettings();
    assert.deepEqual([server.sent, window.errors], [[], []], 'nothing is sent to a stopped server');
  });

  it('tries again to start a server that fails to start', async () => {
    const window = new Window();
    const starting = window.client.start();
    await settled();
    LanguageClient.made.at(-1)?.failToStart(new Error('no addon'));
    await starting;
    await LanguageClient.started(Promise.resolve());
    await settled();
    assert.deepEqual(window.errors, ['The server exited; restarting it.']);
    assert.deepEqual(window.states, ['starting', 'restarting', 'restarting', 'running']);
  });

  it('reports that it has stopped if the restart after a crash fails', async () => {
    const window = new Window();
    const server = await LanguageClient.started(window.client.start());
    window.onCreate = () => {
      throw new Error('no settings');
    };
    server.close();
    await settled();
    assert.equal(window.states.at(-1), 'stopped');
    assert.deepEqual(window.errors, ['The server exited; restarting it.', 'Restarting the server failed.']);
  });

  it('gives the library its documents and its log, shows no pop-ups, and lets it restart nothing', async () => {
    const window = new Window();
    const server = await LanguageClient.started(window.client.start());
    const { documentSelector, outputChannel, revealOutputChannelOn, ...handlers } = server.options;
    assert.deepEqual([documentSelector, outputChannel], [SELECTOR, window.log]);
    assert.equal(revealOutputChannelOn, RevealOutputChannelOn.Never);
    assert.equal(handlers.initializationFailedHandler?.(), false);
    assert.deepEqual(handlers.errorHandler.error?.(), { action: ErrorAction.Continue, handled: true });
    server.error('A request failed.');
    assert.deepEqual(server.popUps, [false]);
    const message = 'The connection to the server has closed.';
    const { DoNotRestart } = CloseAction;
    assert.deepEqual(handlers.errorHandler.closed(), { action: DoNotRestart, message, handled: true });
    const run = { module: 'server.js', transport: TransportKind.ipc };
    const options = { execArgv: ['--inspect=6009', '--enable-source-maps'] };
    assert.deepEqual(server.server, { run, debug: { ...run, options } });
  });

  it('passes partial results on until the request has ended or failed, each request under its own token', async () => {
    const client = new Window().client;
    const library = await LanguageClient.started(client.start());
    const { token } = new vscode.CancellationTokenSource();
    const parts: unknown[] = [];
    const params = { repositories: ['a/b'] };
    const stream = (): Promise<unknown> =>
      client.stream(Method.download, params, (part) => parts.push(part), token);
    const ends: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];
    const sendRequest = library.sendRequest.bind(library);
    library.sendRequest = async (...words) => {
      await sendRequest(...words);
      return await new Promise((resolve, reject) => ends.push({ resolve, reject }));
    };
    const [first, second] = [stream(), stream()];
    await settled();
    const tokens = library.sent.map(([, sent]) => {
      const { partialResultToken, ...others } = sent as { readonly partialResultToken: string };
      assert.deepEqual(others, params);
      return partialResultToken;
    });
    assert.equal(new Set(tokens).size, 2);
    tokens.forEach((partToken, i) => library.progress.get(partToken)?.(i));
    assert.deepEqual(
      [parts, library.tokens],
      [
        [0, 1],
        [token, token],
      ],
    );
    ends[0]?.resolve('all');
    ends[1]?.reject(new Error('gone'));
    assert.equal(await first, 'all');
    await assert.rejects(second, /gone/);
    assert.equal(library.progress.size, 0);
  });

  it('returns suggestions and partial ones as items of VS Code, and none for an empty answer', async () => {
    const client = new Window().client;
    const library = await LanguageClient.started(client.start());
    library.protocol2CodeConverter.asInlineCompletionItem = (item) => ({ converted: item });
    const document = { uri: vscode.Uri.file('/a.py') } as vscode.TextDocument;
    const context = {
      triggerKind: vscode.InlineCompletionTriggerKind.Invoke,
      selectedCompletionInfo: undefined,
    };
    const { token } = new vscode.CancellationTokenSource();
    const parts: unknown[] = [];
    const sendRequest = library.sendRequest.bind(library);
    library.sendRequest = (method, params, given) => {
      const { growingResultToken } = params as { readonly growingResultToken: string };
      for (const part of [['a'], null]) library.progress.get(growingResultToken)?.(part);
      return sendRequest(method, params, given);
    };
    for (const [answer, items] of [
      [
        ['b', 'c'],
        [{ converted: 'b' }, { converted: 'c' }],
      ],
      [null, []],
    ] as const) {
      library.answer = answer;
      const request = { document, position: new vscode.Position(1, 2), context };
      assert.deepEqual(await client.suggestions(request, (part) => parts.push(part), token), items);
      assert.deepEqual(parts.splice(0), [[{ converted: 'a' }], []]);
      const [method, params] = library.sent.at(-1) ?? assert.fail();
      assert.equal(method, INLINE_COMPLETION);
      assert.deepEqual((params as { position: unknown }).position, { line: 1, character: 2 });
    }
    assert.deepEqual(library.tokens, [token, token]);
    assert.equal(library.progress.size, 0);
  });

  it('knows the process id of its server from its first answer to its end', async () => {
    const { client } = new Window();
    const library = await LanguageClient.started(client.start());
    assert.equal(client.serverProcessId, undefined);
    library.initializeResult = { serverProcessId: '7' };
    assert.equal(client.serverProcessId, undefined);
    library.initializeResult = { serverProcessId: 7 };
    assert.equal(client.serverProcessId, 7);
    await client.stop();
    assert.equal(client.serverProcessId, undefined);
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

  it('starts a separate server if the shared one cannot be found, and while the extension is debugged', async () => {
    const { program, server } = await silentServer();
    const lost = new Window({ ...program, module: '/nowhere/server.js' });
    const { server: separate } = await reached(() => lost.client.start());
    assert.equal(typeof separate, 'object');
    assert.deepEqual(lost.warnings, ['No server can be shared, so this window starts its own.']);
    const { execArgv } = process;
    try {
      for (const word of ['--inspect', '--inspect-brk=7', '--debug=7']) {
        process.execArgv = [...execArgv, word];
        const debugged = await reached(() => new Window(program).client.start());
        assert.equal(typeof debugged.server, 'object', word);
      }
      process.execArgv = [...execArgv, '--inspect-publish-uid=http'];
      const { client } = new Window(program);
      assert.equal(typeof (await reached(() => client.start())).server, 'function');
      await client.stop();
    } finally {
      process.execArgv = execArgv;
      server.close();
    }
  });

  it('sends no signal to the server of this window alone when it restarts', async () => {
    const killing = mock.method(process, 'kill', () => true);
    const { client } = new Window();
    const library = await LanguageClient.started(client.start());
    library.initializeResult = { serverProcessId: 4242 };
    await LanguageClient.started(client.restart());
    killing.mock.restore();
    assert.equal(killing.mock.callCount(), 0);
  });
});

describe('the connection to a shared server', () => {
  let silent: SilentServer;
  let window: Window;
  /** Signals that were sent to processes. */
  let signals: unknown[];
  beforeEach(async () => {
    silent = await silentServer();
    window = new Window(silent.program);
    signals = [];
    mock.method(process, 'kill', (...words: readonly unknown[]) => {
      signals.push(words);
      throw new Error('no such process');
    });
  });
  afterEach(async () => {
    mock.restoreAll();
    await window.client.stop();
    silent.server.close();
  });

  it('uses the socket that it has reached, and closes that when it stops', async () => {
    const library = await reached(() => window.client.start());
    const connect = library.server as () => Promise<{ reader: Socket; writer: Socket; detached: boolean }>;
    const { reader, writer, detached } = await connect();
    assert.ok(reader === writer && detached && !reader.destroyed);
    const [connection = assert.fail()] = silent.connections;
    const closed = once(connection, 'close');
    await window.client.stop();
    assert.ok(reader.destroyed);
    await closed;
  });

  it('ends the process for a restart, but not to connect again', async () => {
    const library = await reached(() => window.client.start());
    library.initializeResult = { serverProcessId: 4242 };
    const again = await reached(() => window.client.reconnect());
    assert.deepEqual(signals, []);
    assert.deepEqual(window.states, ['starting', 'running', 'restarting', 'restarting', 'running']);
    again.initializeResult = { serverProcessId: 4242 };
    await reached(() => window.client.restart());
    assert.deepEqual(signals, [[4242, 'SIGTERM']]);
    assert.equal(window.states.at(-1), 'running');
  });

  it('logs the last twenty lines that the server printed before it crashed, and closes its socket', async () => {
    const library = await reached(() => window.client.start());
    const connect = library.server as () => Promise<{ reader: Socket }>;
    const { reader } = await connect();
    const lines = Array.from({ length: 21 }, (_, i) => `line ${String(i)}`);
    writeFileSync(logOf(silent.socket), `${lines.join('\n')}\n`);
    await reached(() => Promise.resolve(library.close()));
    assert.ok(reader.destroyed);
    const output = lines.slice(1).join('\n');
    assert.deepEqual(window.errors, ['The server exited; restarting it.', `Its last output:\n${output}`]);
  });
});
