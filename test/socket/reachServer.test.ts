// Tests windows that look for the shared server while it ends, or where another program listens, and that an idle
// server stays for a window that has just connected.
import assert from 'node:assert/strict';
import net from 'node:net';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { SharedServer } from '../../server/socket/sharedServer';
import { boundSocket, GREETING } from '../../server/socket/socketName';
import { hasName } from '../../server/socket/takeName';
import { listenAs, sharedName } from '../support/sharedSocket';
import { temporaryFolder } from '../support/temporaryFolder';
import { SharedWindows } from './sharedWindows';

const MODULE = `${process.cwd()}/dist/server.js`;

describe('a window that looks for the shared server', () => {
  let windows: SharedWindows;
  let name: string;
  /** A program that has the name of the shared server, but does not greet as it does. */
  let impostor: net.Server;
  beforeEach(async () => {
    windows = new SharedWindows(300, MODULE);
    const environment = { ...process.env, XDG_RUNTIME_DIR: windows.root };
    name = sharedName({ module: MODULE, version: '0.0.0', environment });
    impostor = createServer((client) => client.on('error', () => undefined).write('x'));
    await listenAs(name, 'impostor', impostor);
  });
  afterEach(() => {
    mock.restoreAll();
    impostor.close();
    windows.remove();
  });

  it('starts another server when the old one ends before it has accepted the connection', async () => {
    const codes: unknown[] = [];
    const { mock: connecting } = mock.method(net, 'connect');
    connecting.mockImplementationOnce(((path: string) => {
      const socket = connect(path);
      socket.once('error', ({ code }: NodeJS.ErrnoException) => codes.push(code));
      impostor.close();
      return socket;
    }) as typeof connect);
    const { socket } = await windows.reach();
    assert.ok(connecting.callCount() > 2);
    if (process.platform === 'linux') assert.deepEqual(codes, ['ECONNRESET']);
    assert.equal(windows.running().length, 1);
    socket.destroy();
  });

  it('reports a program other than the server that listens at its name, and starts no server', async () => {
    await assert.rejects(windows.reach(), {
      message: `A program other than Flashline's server listens at ${name}. End it, or remove that file.`,
    });
    assert.deepEqual(windows.running(), []);
  });
});

describe('an idle shared server', () => {
  it('stays for a window that connected while its process was busy', async () => {
    const lingerMs = 50;
    const name = join(temporaryFolder(), 'n');
    const serve = () => ({ cancel: () => undefined, end: () => Promise.resolve() });
    const server = await SharedServer.start({ name, id: 'here', lingerMs, serve });
    assert.ok(server);
    const window = connect(name);
    // Blocks the process until its time without windows is over.
    for (const end = performance.now() + 4 * lingerMs; performance.now() < end;);
    const [greeting] = (await once(window, 'data')) as [Buffer];
    assert.equal(greeting.toString(), GREETING);
    assert.ok(hasName(name, boundSocket(name, 'here')), 'later windows find the server too');
    window.destroy();
    await server.ended;
  });
});
