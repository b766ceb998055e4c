// A shared server that is there and answers nothing more, because it was stopped or because its memory ran out once it
// had loaded: it is ended, and the next one suggests what the first one did.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Heartbeat } from '../../src/heartbeat';
import { isAlive, until } from '../editor/waiting';
import { FaultWorld } from './faultWorld';
import { KNOWN_PLACES } from './knownPlaces';

/** Eighteen of them are longer than the system's clock of processes takes to tell of work. */
const BEAT_MS = 100;
/** Each request needs more memory than the one before. */
const REQUESTS = 40;
const LINES_PER_REQUEST = 25;
/** Beyond what it takes: MLX gets none of it, or the JavaScript engine does not. */
const MORE_BYTES = 30e6;

export function standsStill(): Promise<string> {
  return goesOnAfter((processId) => void process.kill(processId, 'SIGSTOP'));
}

export function runsOutOfMemory(): Promise<string> {
  return goesOnAfter((processId) => {
    const status = readFileSync(`/proc/${String(processId)}/status`, 'utf8');
    const bytes = 1024 * Number(/VmSize:\s+(\d+)/.exec(status)?.[1]) + MORE_BYTES;
    const words = ['--pid', String(processId), `--as=${String(bytes)}`];
    assert.equal(spawnSync('prlimit', words).status, 0);
  });
}

/** Resolves with what the log of the window says. */
async function goesOnAfter(strike: (processId: number) => void): Promise<string> {
  const world = await FaultWorld.create();
  const lines: string[] = [];
  let heartbeat: Heartbeat | undefined;
  try {
    const place = KNOWN_PLACES[0] ?? assert.fail();
    const document = await world.open();
    const { client, processId, socket } = document.window;
    await document.typeAt(place, 1);
    const known = await document.suggestion();
    assert.ok(known);
    heartbeat = new Heartbeat(
      {
        get isRunning() {
          return !socket.destroyed;
        },
        serverProcessId: processId,
        request: (method, params) => client.connection.sendRequest(method, params),
      },
      { error: (line) => void lines.push(line) },
      BEAT_MS,
    );
    strike(processId);
    for (let i = 1; i <= REQUESTS && !document.isLost; i++) {
      const above = Array.from({ length: i * LINES_PER_REQUEST }, (_, n) => `f(${String(n)});\n`).join('');
      await document.typeAt({ ...place, before: above + place.before }, 1);
      await document.suggestion().catch(() => undefined);
    }
    await until('the server is gone', () => document.isLost && !isAlive(processId));
    const before = document.text;
    await document.write('1');
    assert.equal(document.text.length, before.length + 1, 'what is typed without a server stays');
    const again = await world.open();
    await again.typeAt(place, 1);
    assert.equal(await again.suggestion(), known, 'the next suggestion');
    await world.close(again);
    await world.assertLeftNothing();
    return lines.length === 0
      ? 'none: it ends, and the window starts another'
      : `in the log: ${lines.join(' ')}`;
  } finally {
    heartbeat?.dispose();
    await world.remove();
  }
}
