// A server that answers nothing is ended; one that is slow, away or new is not.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Heartbeat } from '../../src/heartbeat';

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

  function watch(request: () => Promise<never>, isRunning = true): void {
    const client = { isRunning, serverProcessId: server.pid, request };
    heartbeat = new Heartbeat(client, { error: (line) => void lines.push(line) }, EVERY_MS);
  }

  it('ends one that stands still, and says so', async () => {
    const ended = once(server, 'exit');
    // It cannot even be asked to end.
    server.kill('SIGSTOP');
    watch(() => new Promise(() => undefined));
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

  it('asks nothing while there is no connection', async () => {
    watch(() => assert.fail('asked'), false);
    await pause(LONG_MS);
    assert.deepEqual([server.exitCode, server.signalCode, lines], [null, null, []]);
  });
});
