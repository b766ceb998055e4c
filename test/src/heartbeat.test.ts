// A server that answers nothing is ended; one that is slow, busy, away or new is not.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Heartbeat, processorTime } from '../../src/heartbeat';
import { until } from '../editor/waiting';

const EVERY_MS = 2;
/** Many times as long as it takes to end a server. */
const LONG_MS = 400;

describe('the heartbeat of the server', () => {
  let server: ChildProcess;
  let lines: string[];
  let heartbeat: Heartbeat | undefined;
  beforeEach(() => {
    lines = [];
    server = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  });
  afterEach(() => {
    heartbeat?.dispose();
    server.kill('SIGKILL');
  });

  const standsStill = (): Promise<string> => Promise.resolve('0:01');

  function watch(
    request: () => Promise<never>,
    spentBy: typeof processorTime = standsStill,
    isRunning = true,
  ): void {
    const client = { isRunning, serverProcessId: server.pid, request };
    heartbeat = new Heartbeat(client, { error: (line) => void lines.push(line) }, EVERY_MS, spentBy);
  }

  it('ends one that stands still, and says so', async () => {
    const ended = once(server, 'exit');
    // It cannot even be asked to end.
    server.kill('SIGSTOP');
    watch(() => new Promise(() => undefined), processorTime);
    await ended;
    assert.equal(server.signalCode, 'SIGKILL');
    assert.ok(lines.some((line) => line.includes('has not answered')));
  });

  it('lets one be that answers late, or with an error', async () => {
    let answers = 0;
    watch(async () => {
      // Nine beats are fewer than the eighteen that are too many.
      await pause(9 * EVERY_MS);
      answers += 1;
      throw new Error('too busy');
    });
    while (answers < 5) await pause(EVERY_MS);
    assert.equal(server.exitCode ?? server.signalCode, null);
  });

  it('lets one be that computes for a long time', async () => {
    let looks = 0;
    watch(
      () => new Promise(() => undefined),
      // Once in seventeen looks, the system tells of more.
      () => Promise.resolve(String(Math.floor((looks += 1) / 17))),
    );
    await until('it has looked often', () => looks > 100);
    assert.deepEqual([server.exitCode, server.signalCode, lines], [null, null, []]);
  });

  it('sees whether one computes', async () => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    try {
      const before = await processorTime(busy.pid ?? 0);
      assert.match(before, /\d:\d/);
      await until('it has computed', async () => (await processorTime(busy.pid ?? 0)) !== before);
    } finally {
      busy.kill('SIGKILL');
    }
  });

  it('asks a new one anew, and never ends one that was not asked', async () => {
    const ids = [server.pid ?? 0, 0];
    let asked = 0;
    const client = {
      isRunning: true,
      get serverProcessId() {
        return ids[asked % 2];
      },
      request: () => {
        asked += 1;
        return new Promise<never>(() => undefined);
      },
    };
    heartbeat = new Heartbeat(client, { error: (line) => void lines.push(line) }, EVERY_MS, standsStill);
    await until('it has asked often', () => asked > 50);
    assert.deepEqual([server.exitCode, server.signalCode, lines], [null, null, []]);
  });

  it('asks nothing while there is no connection', async () => {
    watch(() => assert.fail('asked'), standsStill, false);
    await pause(LONG_MS);
    assert.deepEqual([server.exitCode, server.signalCode, lines], [null, null, []]);
  });
});
