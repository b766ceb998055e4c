// Tests that files named by a user are read only if they are regular and of a reasonable size, so that no other file
// blocks the process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { openRegularFile, readRegularFile, readStart } from '../../server/machine/regularFile';
import { temporaryFolder } from '../support/temporaryFolder';

describe('reading a regular file', () => {
  const path = (): string => join(temporaryFolder(), 'file');

  it('returns its bytes, also through a link, and none of an empty file', () => {
    const file = path();
    writeFileSync(file, 'text');
    symlinkSync(file, `${file}.link`);
    assert.equal(readRegularFile(`${file}.link`, 4).toString(), 'text');
    assert.equal(readStart(file, 2).toString(), 'te');
    assert.equal(readStart(file, 9).toString(), 'text');
    truncateSync(file, 0);
    assert.equal(readRegularFile(file, 4).length, 0);
  });

  it('refuses a file above the size limit without reading it', () => {
    const file = path();
    writeFileSync(file, '');
    truncateSync(file, 2e12);
    assert.throws(
      () => readRegularFile(file, 8e6),
      /^Error: a file of 2000\.0 GB, more than the limit of 8\.0 MB/,
    );
  });

  it('reads system files that are listed with size 0', function () {
    if (process.platform !== 'linux') this.skip();
    assert.match(readRegularFile('/proc/self/status', 100_000).toString(), /^Name:/);
  });

  it('refuses a pipe that replaces the file after the first look at it, and leaves nothing open', function () {
    if (process.platform === 'win32') this.skip();
    const [file, pipe] = [path(), path()];
    writeFileSync(file, 'text');
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    const { statSync, closeSync } = fs;
    mock.method(fs, 'statSync', () => statSync(file));
    const { mock: closing } = mock.method(fs, 'closeSync', closeSync);
    try {
      assert.throws(() => openRegularFile(pipe), new Error('a pipe'));
      assert.equal(closing.callCount(), 1);
    } finally {
      mock.restoreAll();
    }
  });

  it('refuses folders, pipes, sockets and devices by their kind, without waiting for them', async function () {
    if (process.platform === 'win32') this.skip();
    const [pipe, socket] = [path(), path()];
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    const server = createServer();
    await once(server.listen(socket), 'listening');
    try {
      for (const [file, kind] of [
        [temporaryFolder(), 'a folder'],
        [pipe, 'a pipe'],
        [socket, 'a socket'],
        ['/dev/zero', 'a device'],
      ] as const)
        for (const read of [
          openRegularFile,
          (name: string) => readRegularFile(name, 1),
          (name: string) => readStart(name, 1),
        ])
          assert.throws(() => read(file), new Error(kind));
    } finally {
      server.close();
    }
  });
});
