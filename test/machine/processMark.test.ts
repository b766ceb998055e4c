// What tells a process from another one with its number, on Linux and where the program `ps` tells it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { processMark } from '../../server/machine/processMark';

const PLATFORM = process.platform;

/** As on a Mac, whose `ps` says the same as that of other systems. */
const asOnMac = (check: () => void): void => {
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  try {
    check();
  } finally {
    Object.defineProperty(process, 'platform', { value: PLATFORM });
  }
};

describe('the mark of a process', () => {
  before(function () {
    if (spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(process.pid)]).status !== 0) this.skip();
  });

  for (const [where, inside] of [
    ['this system', (check: () => void) => check()],
    ['a system with ps', asOnMac],
  ] as const)
    describe(`on ${where}`, () => {
      it('stays the same, with its number in front', () => {
        inside(() => {
          const mark = processMark(process.pid) ?? assert.fail();
          assert.match(mark, new RegExp(`^${String(process.pid)}\\.[\\w-]+$`));
          assert.equal(processMark(process.pid), mark);
        });
      });

      it('is none where there is no such process', async () => {
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
        const { pid = 0 } = child;
        inside(() => {
          assert.match(processMark(pid) ?? '', new RegExp(`^${String(pid)}\\.`));
        });
        child.kill('SIGKILL');
        await once(child, 'close');
        inside(() => {
          for (const id of [pid, 0, -1, 1.5, NaN]) assert.equal(processMark(id), undefined, String(id));
        });
      });
    });

  it('is the same to processes of other languages and time zones', () => {
    const module = JSON.stringify(join(__dirname, '../../server/machine/processMark.js'));
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
