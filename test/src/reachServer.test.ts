// Tests the end of a server process that a window restarts. test/socket/reachServer.test.ts tests how it is reached.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import timers from 'node:timers/promises';
import { endProcess } from '../../src/connection/reachServer';

describe('the end of a server process', () => {
  let now: number;
  let sent: (readonly [signal: unknown, at: number])[];
  /** Whether the process lives. */
  let isAlive: () => boolean;
  beforeEach(() => {
    [now, sent] = [0, []];
    mock.method(performance, 'now', () => now);
    mock.method(timers, 'setTimeout', (ms: number) => {
      now += ms;
      return Promise.resolve();
    });
    mock.method(process, 'kill', (_: number, signal: unknown) => {
      if (signal !== 0) sent.push([signal, now]);
      if (!isAlive()) throw new Error('no such process');
      return true;
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  const hasGot = (signal: string): boolean => sent.some(([received]) => received === signal);

  it('is requested by SIGTERM, and waited for', async () => {
    isAlive = () => now < 1000;
    await endProcess(7);
    assert.deepEqual(sent, [['SIGTERM', 0]]);
    assert.ok(now >= 1000 && now < 1100);
  });

  it('is enforced by SIGKILL after three seconds', async () => {
    isAlive = () => !hasGot('SIGKILL');
    await endProcess(7);
    assert.deepEqual(sent, [
      ['SIGTERM', 0],
      ['SIGKILL', 3000],
    ]);
  });

  it('is not waited for if the process has ended before, and otherwise for at most six seconds', async () => {
    isAlive = () => false;
    await endProcess(7);
    assert.deepEqual([sent, now], [[['SIGTERM', 0]], 0]);
    isAlive = () => true;
    await endProcess(7);
    assert.equal(now, 6000);
  });
});
