// Tests the mark that distinguishes processes with the same id, on Linux and by the program `ps`, and whether a process
// is running.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { mock } from 'node:test';
import { isAlive, processMark } from '../../server/machine/isAlive';
import { until } from '../editor/waiting';
import { temporaryFolder } from '../support/temporaryFolder';

const PLATFORM = process.platform;

/** Runs a check as on a Mac, whose `ps` has the same output as that of other systems. */
const asOnMac = (check: () => void): void => {
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  try {
    check();
  } finally {
    Object.defineProperty(process, 'platform', { value: PLATFORM });
  }
};

describe('processMark', () => {
  before(function () {
    if (spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(process.pid)]).status !== 0) this.skip();
  });

  for (const [system, runAsOn] of [
    ['this system', (check: () => void) => check()],
    ['a system with ps', asOnMac],
  ] as const)
    describe(`on ${system}`, () => {
      it('stays the same and begins with the id of the process', () => {
        runAsOn(() => {
          const mark = processMark(process.pid) ?? assert.fail();
          assert.match(mark, new RegExp(`^${String(process.pid)}\\.[\\w-]+$`));
          assert.equal(processMark(process.pid), mark);
        });
      });

      it('is undefined for an id that no process has', async () => {
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
        const { pid = 0 } = child;
        runAsOn(() => {
          assert.match(processMark(pid) ?? '', new RegExp(`^${String(pid)}\\.`));
        });
        child.kill('SIGKILL');
        await once(child, 'close');
        runAsOn(() => {
          for (const id of [pid, 0, -1, 1.5, NaN]) assert.equal(processMark(id), undefined, String(id));
        });
      });
    });

  it('is undefined for an ended process that no parent has waited for', async () => {
    // The shell becomes a program that waits for no child, and only then its child can end.
    const parent = spawn('/bin/sh', ['-c', 'head -n 1 <&3 >/dev/null & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    try {
      const [id] = (await once(parent.stdout ?? assert.fail(), 'data')) as [Buffer];
      const child = Number(id);
      const processField = (field: string, processId = 0): string =>
        spawnSync('/bin/ps', ['-o', `${field}=`, '-p', String(processId)]).stdout.toString();
      await until('it has become another program', () => processField('comm', parent.pid).includes('sleep'));
      (parent.stdio[3] as Writable).end('\n');
      await until('it has ended', () => processField('stat', child).startsWith('Z'));
      assert.equal(process.kill(child, 0), true, 'the process id was free before its parent waited for it');
      assert.equal(processMark(child), undefined);
      asOnMac(() => assert.equal(processMark(child), undefined));
      assert.equal(isAlive(child), process.platform !== 'linux');
      assert.equal(isAlive(parent.pid ?? 0), true);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is read correctly for a program whose name looks like the state of a zombie', async function () {
    if (process.platform !== 'linux') this.skip();
    const program = join(temporaryFolder(), 'a) Z (b');
    symlinkSync('/bin/sleep', program);
    const child = spawn(program, ['1000']);
    try {
      await once(child, 'spawn');
      const { pid = 0 } = child;
      assert.equal(isAlive(pid), true);
      assert.match(processMark(pid) ?? '', new RegExp(`^${String(pid)}\\.\\d+$`));
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is the same in processes of other languages and time zones', () => {
    const module = JSON.stringify(join(__dirname, '../../server/machine/isAlive.js'));
    const code = `Object.defineProperty(process, 'platform', { value: 'darwin' });
      process.stdout.write(String(require(${module}).processMark(${String(process.pid)})));`;
    const marks = [
      { TZ: 'UTC', LC_ALL: 'C' },
      { TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' },
    ].map((env) =>
      spawnSync(process.execPath, ['-e', code], { env: { ...process.env, ...env } }).stdout.toString(),
    );
    assert.match(marks[0] ?? '', new RegExp(`^${String(process.pid)}\\.`));
    assert.equal(marks[1], marks[0]);
  });
});

describe('isAlive', () => {
  it('counts processes of other users as running', () => {
    for (const [code, isRunning] of [
      ['EPERM', true],
      ['ESRCH', false],
    ] as const) {
      const kills = mock.method(process, 'kill', () => {
        throw Object.assign(new Error(code), { code });
      });
      assert.equal(isAlive(process.ppid), isRunning, code);
      kills.mock.restore();
    }
  });
});
