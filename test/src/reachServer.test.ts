// Tests how a window reaches a server that starts slowly or again, servers that fail to start or to answer, and the end
// of a server process that a window restarts. test/socket/reachServer.test.ts tests windows while a real server ends.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import timers from 'node:timers/promises';
import { GREETING } from '../../server/socket/socketName';
import { endProcess, reachServer, type ServerProgram } from '../../src/connection/reachServer';
import { listenAs, sharedName } from '../support/sharedSocket';
import { temporaryFolder } from '../support/temporaryFolder';

/** Returns a server with this code, which has the whole time of a test to start. */
function programOf(code: string): ServerProgram {
  const module = join(temporaryFolder(), 'server.cjs');
  writeFileSync(module, code);
  const environment = { XDG_RUNTIME_DIR: temporaryFolder() };
  return { module, version: '0.0.0', environment, limitMs: 600_000 };
}

/** Code of a program that listens as the shared server does, and ends with its first client. */
const SERVER = `
  const [, , , name, , id] = process.argv;
  const socket = name + '.' + id;
  require('net')
    .createServer((client) => client.on('close', () => process.exit()).on('error', () => {}).write('\\n'))
    .listen(socket, () => require('fs').symlinkSync(require('path').basename(socket), name));`;

describe('a shared server that is reached', () => {
  afterEach(() => {
    mock.timers.reset();
  });

  it('stays connected after the time limit for reaching it', async () => {
    const program = programOf('');
    const server = createServer((client) => client.on('error', () => undefined).write(GREETING));
    await listenAs(sharedName(program), 'running', server);
    mock.timers.enable({ apis: ['setTimeout'] });
    const { socket } = await reachServer(program);
    mock.timers.tick(600_000);
    assert.equal(socket.destroyed, false);
    socket.destroy();
    server.close();
  });

  it('is asked again if it closes the connection before it sends its greeting', async () => {
    const program = programOf('');
    let count = 0;
    const server = createServer((client) => {
      count += 1;
      client.on('error', () => undefined);
      if (count === 1) client.end();
      else client.write(GREETING);
    });
    await listenAs(sharedName(program), 'running', server);
    const { socket } = await reachServer(program);
    assert.deepEqual([count, socket.readyState], [2, 'open']);
    socket.destroy();
    server.close();
  });

  it('is started again if it exits because another server has its name, which then ends', async () => {
    const file = JSON.stringify(join(temporaryFolder(), 'started'));
    const code = `const fs = require('fs'); if (fs.existsSync(${file})) {${SERVER}} else fs.writeFileSync(${file}, '');`;
    const { socket } = await reachServer(programOf(code));
    socket.destroy();
  });
});

describe('a shared server that cannot be reached', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  const lines = Array.from({ length: 21 }, (_, i) => `line ${String(i)}`);
  for (const [name, code, message] of [
    ['exits with an error', 'process.exitCode = 1;', "Flashline's server ended while it started."],
    [
      'prints why it exits',
      `console.error(${JSON.stringify(lines.join('\n'))}); process.exitCode = 1;`,
      lines.slice(1).join('\n'),
    ],
    [
      'is killed by a signal',
      "process.kill(process.pid, 'SIGKILL');",
      "Flashline's server ended while it started.",
    ],
  ] as const)
    it(`is reported immediately if it ${name}`, async () => {
      await assert.rejects(reachServer(programOf(code)), { message });
    });

  it('is not waited for longer than the limit if it accepts connections and then says nothing', async () => {
    const program = { ...programOf(''), limitMs: 100 };
    const name = sharedName(program);
    const server = createServer((client) => client.on('error', () => undefined).resume());
    await listenAs(name, 'silent', server);
    // A process that has run for 11 days: a wrong sum of times is then longer than any test.
    const now = performance.now.bind(performance);
    mock.method(performance, 'now', () => 1e9 + now());
    await assert.rejects(reachServer(program), {
      message: `Flashline's server did not start at ${name} within 0.1 s.`,
    });
    server.close();
  });
});

describe('the end of a server process', () => {
  let now: number;
  let sent: (readonly [signal: unknown, at: number])[];
  /** Whether the process lives. */
  let isAlive: () => boolean;
  beforeEach(() => {
    now = 0;
    sent = [];
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
