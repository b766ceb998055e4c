// One window among several, at a server in this process: what ends a process elsewhere ends a connection here.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { until } from '../editor/waiting';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver/node';
import { windowConnection } from '../../server/socket/sharedServer';
import { temporaryFolder } from '../support/temporaryFolder';

interface Window {
  readonly socket: Socket;
  readonly client: ProtocolConnection;
}

describe('the connection to one window among several', () => {
  let server: Server;
  let path: string;
  const accepted: Socket[] = [];
  beforeEach(async () => {
    path = join(temporaryFolder(), 's');
    server = createServer((socket) => accepted.push(socket));
    await new Promise<void>((resolve) => server.listen(path, resolve));
  });
  afterEach(() => {
    for (const socket of accepted.splice(0)) socket.destroy();
    server.close();
  });

  async function open(): Promise<Window> {
    const count = accepted.length;
    const socket = connect(path);
    await until('it is accepted', () => accepted.length > count);
    const own = accepted.at(-1);
    assert.ok(own);
    const connection = windowConnection(own);
    connection.onRequest('late', () => once(own, 'close'));
    connection.onRequest('echo', (text: string) => text);
    connection.listen();
    const client = createProtocolConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    client.listen();
    return { socket, client };
  }

  it('ends with the exit of its window, and leaves the process and the others alone', async () => {
    const [leaves, stays] = [await open(), await open()];
    await leaves.client.sendRequest('shutdown');
    await leaves.client.sendNotification('exit');
    await until('it is closed', () => leaves.socket.destroyed);
    assert.equal(await stays.client.sendRequest('echo', 'still here'), 'still here');
    const rude = await open();
    await rude.client.sendNotification('exit');
    await until('it is closed', () => rude.socket.destroyed);
    assert.equal(await stays.client.sendRequest('echo', 'still here'), 'still here');
  });

  it('leaves the process alone when its window closes before an answer', async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      const [leaves, stays] = [await open(), await open()];
      const own = accepted.at(-2);
      leaves.client.sendRequest('late').catch(() => undefined);
      await leaves.client.sendRequest('echo', 'both have arrived');
      leaves.socket.end();
      await until('its end is closed', () => own?.destroyed ?? false);
      assert.equal(await stays.client.sendRequest('echo', 'still here'), 'still here');
      await new Promise(setImmediate);
      assert.deepEqual(uncaught, []);
    } finally {
      process.off('unhandledRejection', note);
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});
