// The name of the shared server: one of many takes it, a crashed server loses it, a living one never does.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { giveUpName, hasName, holderOf, takeName } from '../../server/socket/socketName';
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

  async function listening(id: string): Promise<string> {
    const socket = `${name}.${id}`;
    const server = createServer((client) => client.on('error', () => undefined).destroy());
    servers.push(server);
    await once(server.listen(socket), 'listening');
    return socket;
  }

  /** What a server leaves that was killed: its socket, at which nobody listens, and the name. */
  async function crashed(id: string): Promise<string> {
    const socket = `${name}.${id}`;
    const words = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', words, socket]);
    assert.ok(existsSync(socket));
    assert.ok(await takeName(name, socket));
    return socket;
  }

  it('is taken from a server that was killed, by one of many', async () => {
    const old = await crashed('old');
    const sockets = await Promise.all(Array.from({ length: 12 }, (_, i) => listening(`id${i}`)));
    const taken = await Promise.all(sockets.map((socket) => takeName(name, socket)));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal(holderOf(name), sockets[taken.indexOf(true)]);
    assert.ok(!existsSync(old), 'its socket is gone');
    assert.deepEqual(
      readdirSync(folder).filter((file) => file.includes('gone')),
      [],
      'and so is what was moved aside',
    );
  });

  it('is free again when the file behind it is gone', async () => {
    symlinkSync('n.nothing', name);
    assert.ok(await takeName(name, await listening('new')));
  });

  for (const [what, make] of [
    ['a file has it', () => writeFileSync(name, 'x')],
    ['it links to itself', () => symlinkSync('n', name)],
    ['it links to a file', () => symlinkSync('n.old', name)],
    ['it links to a folder', () => symlinkSync('n.folder', name)],
    ['it leads through a file', () => symlinkSync('n.old/n', name)],
    ['it links to more than a name can have', () => symlinkSync('n'.repeat(256), name)],
    ['a pipe has it', () => execFileSync('mkfifo', [name])],
  ] as const)
    it(`is taken by one of many where ${what}`, async () => {
      writeFileSync(join(folder, 'n.old'), 'x');
      mkdirSync(join(folder, 'n.folder', 'kept'), { recursive: true });
      make();
      const sockets = await Promise.all(Array.from({ length: 12 }, (_, i) => listening(`id${String(i)}`)));
      const taken = await Promise.all(sockets.map((socket) => takeName(name, socket)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(holderOf(name), sockets[taken.indexOf(true)]);
      assert.deepEqual(
        readdirSync(folder).filter((file) => file.includes('gone')),
        [],
      );
      assert.ok(existsSync(join(folder, 'n.folder', 'kept')));
    });

  it('is left alone where a folder has it', async () => {
    mkdirSync(name);
    const taken = listening('new').then((socket) => takeName(name, socket));
    await assert.rejects(taken, {
      message: `Expected a link or nothing at ${name}, got a folder; remove it.`,
    });
    assert.deepEqual(readdirSync(folder).sort(), ['n', 'n.new']);
  });

  it('stays with a server that answers', async () => {
    const first = await listening('first');
    assert.ok(await takeName(name, first));
    assert.ok(!(await takeName(name, await listening('second'))));
    assert.ok(hasName(name, first));
  });

  it('removes nothing elsewhere when it leads there', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'n.old'), 'kept');
    symlinkSync('other/n.old', name);
    assert.ok(await takeName(name, await listening('new')));
    assert.equal(readFileSync(join(other, 'n.old'), 'utf8'), 'kept');
  });

  it('is given up by its own server only', async () => {
    const first = await listening('first');
    const second = await listening('second');
    await takeName(name, first);
    giveUpName(name, second);
    assert.ok(hasName(name, first));
    giveUpName(name, first);
    assert.equal(holderOf(name), undefined);
    assert.ok(await takeName(name, second));
  });
});
