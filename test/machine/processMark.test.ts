// Whether a process runs that has ended and whose number is still taken.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { isAlive } from '../../server/machine/isAlive';
import { until } from '../editor/waiting';

describe('a process', () => {
  before(function () {
    if (spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(process.pid)]).status !== 0) this.skip();
  });

  it('is not alive when it has ended and nobody has waited for it', async () => {
    // The shell becomes a program that waits for no child, and only then its child may end.
    const parent = spawn('/bin/sh', ['-c', 'head -n 1 <&3 >/dev/null & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const [id] = (await once(parent.stdout ?? assert.fail(), 'data')) as [Buffer];
      const child = Number(id);
      const shown = (field: string, processId = 0): string =>
        spawnSync('/bin/ps', ['-o', `${field}=`, '-p', String(processId)]).stdout.toString();
      await until('it has become another program', () => shown('comm', parent.pid).includes('sleep'));
      (parent.stdio[3] as Writable).end('\n');
      await until('it has ended', () => shown('stat', child).startsWith('Z'));
      assert.equal(process.kill(child, 0), true, 'it has its number still');
      assert.equal(isAlive(child), process.platform !== 'linux');
      assert.equal(isAlive(parent.pid ?? 0), true);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
