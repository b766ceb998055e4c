// Tests locks between processes: which process gets a lock, and how long the others wait.
import assert from 'node:assert/strict';
import fs, { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { lockFile } from '../../server/machine/lockFile';
import { temporaryFolder } from '../support/temporaryFolder';

describe('lockFile', () => {
  let lock: string;
  beforeEach(() => (lock = join(temporaryFolder(), 'lock')));
  const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('takes over a lock that its holder has not touched for long', async () => {
    // A lock has a time in the future if the clock was set back since.
    for (const touched of [new Date(0), new Date(Date.now() + 24 * 3600 * 1000)]) {
      writeFileSync(lock, '');
      utimesSync(lock, touched, touched);
      const held = await lockFile(lock, { wait, isDone: () => false });
      assert.ok(held);
      held.release();
    }
  });

  it('takes no lock when the work is done, but removes the lock of a dead process even then', async () => {
    writeFileSync(lock, '');
    assert.equal(await lockFile(lock, { wait, isDone: () => true }), undefined);
    assert.ok(existsSync(lock));
    utimesSync(lock, new Date(0), new Date(0));
    assert.equal(await lockFile(lock, { wait, isDone: () => true }), undefined);
    assert.ok(!existsSync(lock));
  });

  it('rejects with the cause when the lock cannot be written', async () => {
    const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const writes = mock.method(fs, 'writeFileSync', () => {
      throw cause;
    });
    const never = (): Promise<void> => assert.fail('it waits for another process');
    await assert
      .rejects(lockFile(lock, { wait: never, isDone: () => false }), cause)
      .finally(() => writes.mock.restore());
  });

  it('touches its lock while it holds it, so that no other process takes it over', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const held = await lockFile(lock, { wait, isDone: () => false });
      utimesSync(lock, new Date(0), new Date(0));
      mock.timers.tick(5_000);
      assert.ok(Date.now() - statSync(lock).mtimeMs < 3_600_000);
      held?.release();
      writeFileSync(lock, '');
      utimesSync(lock, new Date(0), new Date(0));
      mock.timers.tick(5_000);
      assert.equal(statSync(lock).mtimeMs, 0, 'a released lock is not touched');
    } finally {
      mock.timers.reset();
    }
  });

  it('neither touches nor removes a lock that another process has taken over', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const held = await lockFile(lock, { wait, isDone: () => false });
      assert.ok(held?.isHeld);
      held.requireHeld();
      writeFileSync(lock, 'another');
      utimesSync(lock, new Date(0), new Date(0));
      assert.ok(!held.isHeld);
      assert.throws(() => {
        held.requireHeld();
      }, /Another process has taken the lock/);
      mock.timers.tick(5_000);
      assert.equal(statSync(lock).mtimeMs, 0);
      held.release();
      assert.ok(existsSync(lock));
    } finally {
      mock.timers.reset();
    }
  });

  it('waits for a lock that is held until its signal aborts', async () => {
    const held = await lockFile(lock, { wait, isDone: () => false });
    assert.ok(held);
    const stopping = new AbortController();
    let tries = 0;
    const isDone = (): boolean => {
      if ((tries += 1) === 5) stopping.abort();
      return false;
    };
    assert.equal(await lockFile(lock, { wait, isDone, signal: stopping.signal }), undefined);
    assert.equal(tries, 5);
    held.release();
    const heldAgain = await lockFile(lock, { wait, isDone: () => false });
    assert.ok(heldAgain);
    heldAgain.release();
  });
});
