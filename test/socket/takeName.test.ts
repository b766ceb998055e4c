// Tests the name of the shared server: one of many new servers takes it, a crashed server loses it, and a live server
// keeps it.
import assert from 'node:assert/strict';
import net from 'node:net';
import childProcess, { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { processMark } from '../../server/machine/isAlive';
import { releaseName, hasName, holderOf, takeName } from '../../server/socket/takeName';
import { until } from '../editor/waiting';
import { temporaryFolder } from '../support/temporaryFolder';

describe('the name of the shared server', () => {
  let folder: string;
  let name: string;
  let servers: Server[];
  beforeEach(() => {
    folder = temporaryFolder();
    name = join(folder, 'n');
    servers = [];
  });
  afterEach(() => {
    for (const server of servers) server.close();
  });

  /** Starts a server that listens on the socket of `id`; returns the socket. */
  async function listening(id: string): Promise<string> {
    const socket = `${name}.${id}`;
    const server = createServer((client) => client.on('error', () => undefined).destroy());
    servers.push(server);
    await once(server.listen(socket), 'listening');
    return socket;
  }

  /** Leaves the files of a killed server: its name, and its socket without a listener. Returns the socket. */
  async function crashed(id: string): Promise<string> {
    const socket = `${name}.${id}`;
    const program = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', program, socket]);
    assert.ok(existsSync(socket));
    assert.ok(await takeName(name, socket));
    return socket;
  }

  it('is taken from a killed server by one of many new servers', async () => {
    const old = await crashed('old');
    const sockets = await Promise.all(Array.from({ length: 12 }, (_, i) => listening(`id${i}`)));
    const taken = await Promise.all(sockets.map((socket) => takeName(name, socket)));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal(holderOf(name), sockets[taken.indexOf(true)]);
    assert.ok(!existsSync(old), 'the socket of the killed server is removed');
    assert.deepEqual(
      readdirSync(folder).filter((file) => file.includes('gone')),
      [],
      'the claims are removed',
    );
  });

  it('is free when its socket is gone', async () => {
    symlinkSync('n.nothing', name);
    assert.ok(await takeName(name, await listening('new')));
  });

  for (const [what, make] of [
    ['a file has it', () => writeFileSync(name, 'x')],
    ['it links to itself', () => symlinkSync('n', name)],
    ['it links to a file', () => symlinkSync('n.old', name)],
    ['it links to a folder', () => symlinkSync('n.folder', name)],
    ['it leads through a file', () => symlinkSync('n.old/n', name)],
    ['it links to a name that is too long', () => symlinkSync('n'.repeat(256), name)],
    ['a pipe has it', () => execFileSync('mkfifo', [name])],
  ] as const)
    it(`is taken by one of many new servers when ${what}`, async () => {
      writeFileSync(join(folder, 'n.old'), 'x');
      for (const subfolder of ['n.folder', 'n.gone0', 'n.old.gone0', 'n.folder.gone0'])
        mkdirSync(join(folder, subfolder, 'kept'), { recursive: true });
      make();
      const sockets = await Promise.all(Array.from({ length: 12 }, (_, i) => listening(`id${String(i)}`)));
      const taken = await Promise.all(sockets.map((socket) => takeName(name, socket)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(holderOf(name), sockets[taken.indexOf(true)]);
      assert.deepEqual(
        readdirSync(folder).filter((file) => /gone[1-9]/.test(file)),
        [],
      );
      assert.ok(['n.folder', 'n.gone0'].every((subfolder) => existsSync(join(folder, subfolder, 'kept'))));
    });

  it('is not taken from a folder', async () => {
    mkdirSync(name);
    const taken = listening('new').then((socket) => takeName(name, socket));
    await assert.rejects(taken, {
      message: `There is a folder at ${name}. Remove it.`,
    });
    assert.deepEqual(readdirSync(folder).sort(), ['n', 'n.new']);
  });

  it('stays with a server that answers', async () => {
    const first = await listening('first');
    assert.ok(await takeName(name, first));
    assert.ok(!(await takeName(name, await listening('second'))));
    assert.ok(hasName(name, first));
  });

  it('stays with a live server that accepts no connections', async function () {
    if (process.platform !== 'linux') this.skip();
    const socket = `${name}.busy`;
    const script = `require('net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
      require('fs').writeSync(1, 'listens'); for (;;); })`;
    const busy = spawn(process.execPath, ['-e', script, socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    const clients: net.Socket[] = [];
    try {
      await once(busy.stdout, 'data');
      symlinkSync('n.busy', name);
      let code: string | undefined;
      while (code === undefined) {
        const client = net.connect(name);
        clients.push(client);
        code = await new Promise((resolve) => {
          client.once('connect', () => resolve(undefined));
          client.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        });
      }
      assert.equal(code, 'EAGAIN');
      assert.ok(!(await takeName(name, await listening('new'))));
      assert.ok(hasName(name, socket));
    } finally {
      for (const client of clients) client.destroy();
      busy.kill('SIGKILL');
    }
  });

  it('is taken only after another server has finished removing the files of the killed one', async () => {
    const old = await crashed('old');
    symlinkSync(processMark(process.pid) ?? '', `${old}.gone0`);
    const connections = mock.method(net, 'connect').mock;
    const taking = listening('new').then((socket) => takeName(name, socket));
    await until('the new server has tried several times', () => connections.callCount() > 3);
    connections.restore();
    assert.ok(hasName(name, old));
    rmSync(`${old}.gone0`);
    assert.ok(await taking);
  });

  it('is not waited for longer than five seconds', async () => {
    const old = await crashed('old');
    symlinkSync(processMark(process.pid) ?? '', `${old}.gone0`);
    const socket = await listening('new');
    let now = 0;
    const clock = mock.method(performance, 'now', () => (now += 1000)).mock;
    try {
      await assert.rejects(takeName(name, socket), {
        message: `Could not take the socket name ${name} within 5 s, nor find the server that has it. Remove that file.`,
      });
      assert.ok(now >= 5000 && now < 8000, String(now));
    } finally {
      clock.restore();
    }
    assert.ok(hasName(name, old));
    rmSync(name);
    assert.ok(await takeName(name, socket), 'the remedy helps');
  });

  it('is taken from a killed server only once `ps` has identified this process', async () => {
    const old = await crashed('old');
    const socket = await listening('new');
    const { platform } = process;
    // As on a Mac: `ps` fails twice, for example because it takes too long.
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    let failureCount = 0;
    const ps = mock.method(childProcess, 'execFileSync', () => {
      if (failureCount === 2) return 'S Mon Nov 30 14:18:33 2026';
      failureCount += 1;
      assert.ok(hasName(name, old));
      throw new Error('spawnSync ps ETIMEDOUT');
    }).mock;
    try {
      assert.ok(await takeName(name, socket));
    } finally {
      ps.restore();
      Object.defineProperty(process, 'platform', { value: platform });
    }
    assert.equal(failureCount, 2);
    assert.deepEqual(readdirSync(folder).sort(), ['n', 'n.new']);
  });

  it('is taken without waiting for a dead process, even if its id is in use again', async () => {
    const old = await crashed('old');
    const deadId = String(spawnSync(process.execPath, ['-e', '']).pid);
    const testId = String(process.pid);
    // Marks of a dead process, of process 1 and this process with no or wrong start times, and invalid marks.
    const marks = [deadId, `${deadId}.123`, '1', testId, `${testId}.12`, '1.0', 'abc', '-1'];
    for (const [i, mark] of marks.entries()) symlinkSync(mark, `${old}.gone${String(i)}`);
    writeFileSync(`${old}.gone8`, '');
    assert.ok(await takeName(name, await listening('new')));
    assert.deepEqual(readdirSync(folder).sort(), ['n', 'n.new']);
  });

  it('is taken without removing the file in another folder that it links to', async () => {
    const linkedFolder = join(folder, 'linked');
    mkdirSync(linkedFolder);
    writeFileSync(join(linkedFolder, 'n.old'), 'kept');
    symlinkSync('linked/n.old', name);
    assert.ok(await takeName(name, await listening('new')));
    assert.equal(readFileSync(join(linkedFolder, 'n.old'), 'utf8'), 'kept');
  });

  it('is released only by its own server', async () => {
    const first = await listening('first');
    const second = await listening('second');
    await takeName(name, first);
    releaseName(name, second);
    assert.ok(hasName(name, first));
    releaseName(name, first);
    assert.equal(holderOf(name), undefined);
    assert.ok(await takeName(name, second));
  });
});
