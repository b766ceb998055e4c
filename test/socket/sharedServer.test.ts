// Tests the process that windows share: only one runs, whichever window starts it and however windows end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from 'vscode-languageserver/node';
import { Method } from '../../server/protocol/messages';
import { SharedServer } from '../../server/socket/sharedServer';
import { logOf } from '../../server/socket/socketName';
import { until } from '../editor/waiting';
import { STRAY_MESSAGES } from '../lsp/strayMessages';
import { closeWindow, SharedWindows, type SharedWindow } from './sharedWindows';

const LINGER_MS = 300;
/** Settings with which no model is loaded. */
const NO_MODEL = { target: '/nowhere' };

describe('the server that windows share', () => {
  let windows: SharedWindows;
  beforeEach(() => {
    windows = new SharedWindows(LINGER_MS);
  });
  afterEach(() => {
    windows.remove();
  });
  const open = (): Promise<SharedWindow> => windows.open(NO_MODEL);
  const ended = (): Promise<unknown> => until('the server has ended', () => windows.running().length === 0);

  it('is started once when six windows start at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, open));
    const [{ processId } = { processId: 0 }] = opened;
    assert.deepEqual(new Set(opened.map((window) => window.processId)), new Set([processId]));
    await until('the surplus servers have ended', () => windows.running().length === 1);
    await Promise.all(opened.map(closeWindow));
    await ended();
    assert.deepEqual(windows.files, []);
  });

  it('can be reached only by its owner', async () => {
    const window = await open();
    assert.equal(statSync(windows.folder).mode & 0o777, 0o700);
    const files = windows.files.map((file) => join(windows.folder, file));
    const modes = files
      .filter((file) => !lstatSync(file).isSymbolicLink())
      .map((file) => statSync(file).mode);
    assert.deepEqual(
      modes.map((mode) => mode & 0o777),
      [0o600, 0o600],
      'only the owner can use the socket and its log',
    );
    window.socket.destroy();
  });

  it('does not start in a folder that other users can access', async () => {
    const serve = () => ({ cancel: () => undefined, end: () => Promise.resolve() });
    for (const mode of [0o777, 0o750, 0o701]) {
      mkdirSync(windows.folder, { recursive: true });
      chmodSync(windows.folder, mode);
      const started = SharedServer.start({
        name: join(windows.folder, 'name'),
        id: 'here',
        lingerMs: 1,
        serve,
      });
      await assert.rejects(started, /must be a folder of this user alone, but it is open to other users/);
      assert.deepEqual(windows.files, []);
    }
  });

  it('reports a folder in place of its name, and does not remove it', async () => {
    const window = await open();
    const { name } = windows;
    await closeWindow(window);
    await ended();
    mkdirSync(name);
    await assert.rejects(windows.reach(), /^Error: There is a folder at \S+\. Remove it\.$/);
    assert.deepEqual(
      windows.files.filter((file) => !file.endsWith('.log')),
      [basename(name)],
    );
  });

  it('accepts no window once it has lost its name, and serves its own windows until they go', async () => {
    const first = await open();
    const { name } = windows;
    const lost = join(windows.folder, readlinkSync(name));
    rmSync(name);
    await until('the first server accepts no window', async () => {
      const client = connect(lost);
      return await new Promise<boolean>((resolve) => {
        client.once('connect', () => resolve(false)).once('error', () => resolve(true));
      }).finally(() => client.destroy());
    });
    const second = await open();
    assert.notEqual(second.processId, first.processId);
    const socket = readlinkSync(name);
    assert.deepEqual(await first.client.history(), []);
    await closeWindow(first);
    await until('the first server has ended', () => windows.running().join() === String(second.processId));
    assert.equal(readlinkSync(name), socket, 'the second server keeps the name');
    assert.deepEqual(await second.client.history(), []);
    second.socket.destroy();
  });

  it('serves the other windows when a window closes, dies or sends garbage', async () => {
    const [closed, killed, broken, stays] = await Promise.all([open(), open(), open(), open()]);
    await closeWindow(closed);
    killed.socket.destroy();
    for (const message of STRAY_MESSAGES) await broken.client.writer.write(message as Message);
    assert.deepEqual(await broken.client.history(), []);
    broken.socket.write('This is no message.\r\n\r\n{}');
    await until('the socket of the closed window has ended', () => closed.socket.destroyed);
    assert.deepEqual(await stays.client.history(), []);
    const again = await open();
    assert.equal(again.processId, stays.processId);
  });

  it('cancels the requests of a closed window, but keeps its models and the requests of others', async () => {
    const cancelled: string[] = [];
    const freed: string[] = [];
    let served = 0;
    const name = join(windows.folder, 'name');
    mkdirSync(windows.folder, { mode: 0o700 });
    const server = await SharedServer.start({
      name,
      id: 'here',
      lingerMs: 600_000,
      serve: (connection) => {
        const window = `window ${String((served += 1))}`;
        connection.listen();
        const end = () => Promise.resolve(void freed.push(window));
        return { cancel: () => void cancelled.push(window), end };
      },
    });
    assert.ok(server);
    const sockets: Socket[] = [];
    for (const count of [1, 2]) {
      const socket = connect(name);
      sockets.push(socket);
      socket.write('Content-Length: 2\r\n\r\n{}');
      await until(`window ${String(count)} is served`, () => served === count);
    }
    sockets[0]?.destroy();
    await until('the requests of the closed window are cancelled', () => cancelled.length > 0);
    assert.deepEqual([cancelled, freed], [['window 1'], []]);
    sockets[1]?.destroy();
    await server.end();
    assert.deepEqual(freed, ['window 1', 'window 2']);
  });

  it('ends only after it has released the resources of a window that closed', async () => {
    mkdirSync(windows.folder, { mode: 0o700 });
    const events: string[] = [];
    const server = await SharedServer.start({
      name: join(windows.folder, 'name'),
      id: 'here',
      lingerMs: 50,
      serve: (connection) => {
        connection.listen();
        events.push('served');
        const end = () => pause(200).then(() => void events.push('released'));
        return { cancel: () => undefined, end };
      },
    });
    assert.ok(server);
    const socket = connect(join(windows.folder, 'name'));
    socket.write('Content-Length: 2\r\n\r\n{}');
    await until('the window is served', () => events.length > 0);
    socket.destroy();
    await server.ended;
    assert.deepEqual(events, ['served', 'released']);
  });

  it('frees the models of a closed window after some time, though another window is open', async () => {
    const freed: number[] = [];
    let served = 0;
    mkdirSync(windows.folder, { mode: 0o700 });
    const name = join(windows.folder, 'name');
    const server = await SharedServer.start({
      name,
      id: 'here',
      lingerMs: 100,
      serve: (connection) => {
        const index = (served += 1);
        connection.listen();
        const end = () => {
          freed.push(index);
          return index === 1 ? Promise.reject(new Error('one problem')) : Promise.resolve();
        };
        return { cancel: () => undefined, end };
      },
    });
    assert.ok(server);
    const write = mock.method(process.stderr, 'write', () => true).mock;
    try {
      const sockets = [1, 2].map(() => connect(name));
      for (const [i, socket] of sockets.entries()) {
        socket.write('Content-Length: 2\r\n\r\n{}');
        await until('the window is served', () => served === i + 1);
      }
      sockets[0]?.destroy();
      await until('the models of the closed window are freed', () => freed.length > 0);
      assert.deepEqual(freed, [1]);
      sockets[1]?.destroy();
      await server.ended;
      assert.deepEqual(freed, [1, 2], 'each window is freed once');
      const printed = write.calls.map(({ arguments: [text] }) => String(text));
      assert.deepEqual(printed, ['Error: one problem\n']);
    } finally {
      write.restore();
    }
  });

  it('survives and prints uncaught errors', async () => {
    const environment = { NODE_OPTIONS: `--require ${__dirname}/throwOnSignal.js` };
    const window = await windows.open(NO_MODEL, environment);
    process.kill(window.processId, 'SIGUSR2');
    await until('both errors are printed', () =>
      /an uncaught[^]*an unhandled|an unhandled[^]*an uncaught/.test(window.lastOutput()),
    );
    assert.deepEqual(await window.client.history(), []);
    window.socket.destroy();
  });

  it('stays for a window that returns', async () => {
    windows.lingerMs = 600_000;
    const first = await open();
    await closeWindow(first);
    const again = await open();
    assert.equal(again.processId, first.processId);
  });

  it('ends when its only window was killed, or its only connection closed before any message', async () => {
    for (const reach of [open, () => windows.reach()]) {
      (await reach()).socket.destroy();
      await ended();
      assert.deepEqual(windows.files, []);
    }
  });

  it('is restarted once after it was killed, and its log can be read', async () => {
    const opened = await Promise.all([open(), open()]);
    const [{ processId, lastOutput }] = opened;
    const log = `${readlinkSync(windows.name)}.log`;
    writeFileSync(join(windows.folder, log), 'abort: why');
    process.kill(processId, 'SIGKILL');
    await Promise.all(opened.map(gone));
    assert.equal(lastOutput(), 'abort: why');
    const again = await Promise.all([open(), open()]);
    const [{ processId: newProcessId }] = again;
    assert.notEqual(newProcessId, processId);
    assert.deepEqual(new Set(again.map((window) => window.processId)), new Set([newProcessId]));
    await until('the new server has a name, a socket and a log beside the old log', () => {
      return windows.files.filter((file) => file !== log).length === 3;
    });
  });

  it('keeps the old log of another server that is running', async () => {
    mkdirSync(windows.folder, { mode: 0o700 });
    const socket = join(windows.folder, 'other');
    const other = createServer().listen(socket).unref();
    await once(other, 'listening');
    const log = logOf(socket);
    writeFileSync(log, 'why');
    utimesSync(log, new Date(0), new Date(0));
    const window = await open();
    assert.equal(readFileSync(log, 'utf8'), 'why');
    window.socket.destroy();
    other.close();
  });

  it('removes old logs of crashed servers, and no other files', async () => {
    mkdirSync(join(windows.folder, 'n.log', 'kept'), { recursive: true });
    chmodSync(windows.folder, 0o700);
    const at = (file: string): string => join(windows.folder, file);
    for (const file of ['n.old.log', 'n.young.log']) writeFileSync(at(file), 'why');
    const minutesAgo = (minutes: number): Date => new Date(Date.now() - 60_000 * minutes);
    for (const [file, minutes] of [
      ['n.old.log', 65],
      ['n.log', 65],
      ['n.young.log', 30],
    ] as const)
      utimesSync(at(file), minutesAgo(minutes), minutesAgo(minutes));
    const window = await open();
    assert.deepEqual(
      windows.files.filter((file) => file.startsWith('n.')),
      ['n.log', 'n.young.log'],
    );
    assert.ok(lstatSync(at('n.log/kept')).isDirectory());
    window.socket.destroy();
  });

  it('notifies its windows when it is asked to end, and leaves no files', async () => {
    const opened = await Promise.all([open(), open()]);
    const notified = opened.map(
      ({ client }) =>
        new Promise<void>((resolve) => {
          client.connection.onNotification(Method.ending, resolve);
        }),
    );
    const closed = opened.map(gone);
    process.kill(opened[0].processId, 'SIGTERM');
    await Promise.all([...notified, ...closed]);
    await ended();
    assert.deepEqual(windows.files, []);
  });

  it('ends at SIGINT and SIGHUP, and after a hundred uncaught errors', async () => {
    const environment = { NODE_OPTIONS: `--require ${__dirname}/throwOnSignal.js`, TEST_ERRORS: '50' };
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      const window = await open();
      process.kill(window.processId, signal);
      await gone(window);
      await ended();
      assert.deepEqual(windows.files, [], signal);
    }
    const broken = await windows.open(NO_MODEL, environment);
    const log = join(windows.folder, `${readlinkSync(windows.name)}.log`);
    process.kill(broken.processId, 'SIGUSR2');
    await gone(broken);
    await ended();
    assert.equal(readFileSync(log, 'utf8').match(/^Error: an un/gm)?.length, 100);
  });

  it('reports why it cannot start', async () => {
    await assert.rejects(
      windows.reach({ NODE_OPTIONS: '--require /nowhere/at/all' }),
      /Cannot find module '\/nowhere\/at\/all'/,
    );
  });
});

/** Resolves when the connection of a window to its server is closed. */
function gone({ socket }: SharedWindow): Promise<void> {
  return new Promise((resolve) => socket.once('close', resolve));
}
