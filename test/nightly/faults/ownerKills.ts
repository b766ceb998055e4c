// Kills the process of a window that has started the server: a private server must end with it, and a shared one must
// serve the other windows, or end without any.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Rng } from '../../../bench/rng';
import { isAlive } from '../../../server/machine/isAlive';
import { until } from '../../editor/waiting';
import type { FaultWorld } from './faultWorld';
import { KNOWN_PLACES } from './knownPlaces';
import type { WindowNews } from './windowProcess';

export const OWNER_STATES = ['loading', 'asking', 'streaming'] as const;

/** Kills a window in this state; rejects if a check fails afterwards. */
export async function killOwner(world: FaultWorld, state: WindowNews['state'], rng: Rng): Promise<void> {
  const server = rng.happens(0.5) ? 'shared' : 'own';
  const child = fork(join(__dirname, 'windowProcess.js'), [JSON.stringify(world.order(server))], {
    env: { ...process.env, XDG_RUNTIME_DIR: world.windows.root, ...world.environment },
    silent: true,
  });
  const gone = once(child, 'exit');
  let news: WindowNews | undefined;
  child.on('message', (message: WindowNews) => {
    if (message.state === state) news ??= message;
  });
  await until('the window is there', () => news !== undefined);
  const serverProcessId = news?.serverProcessId ?? 0;
  const other = server === 'shared' && rng.happens(0.5) ? await world.open() : undefined;
  const delay = rng.integer(0, 50);
  setTimeout(() => child.kill('SIGKILL'), delay);
  await gone;

  if (other) {
    assert.equal(other.window.processId, serverProcessId, 'the server stays');
    await world.assertSuggestsBeside(other, rng.pick(KNOWN_PLACES) ?? assert.fail());
  }
  await until('its server has ended', () => !isAlive(serverProcessId));
  await world.assertLeftNothing();
}
