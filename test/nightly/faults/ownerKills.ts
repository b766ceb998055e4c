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
import { TYPING_SAMPLES } from './typingSamples';
import type { WindowReport } from './windowProcess';

export const OWNER_STATES = ['loading', 'requesting', 'streaming'] as const;

/** Kills a window in this state; rejects if a check fails afterwards. */
export async function killOwner(world: FaultWorld, state: WindowReport['state'], rng: Rng): Promise<void> {
  const server = rng.happens(0.5) ? 'shared' : 'private';
  const child = fork(join(__dirname, 'windowProcess.js'), [JSON.stringify(world.order(server))], {
    env: { ...process.env, XDG_RUNTIME_DIR: world.windows.root, ...world.environment },
    silent: true,
  });
  const exited = once(child, 'exit');
  let report: WindowReport | undefined;
  child.on('message', (message: WindowReport) => {
    if (message.state === state) report ??= message;
  });
  await until(`the window is ${state}`, () => report !== undefined);
  const serverProcessId = report?.serverProcessId ?? 0;
  const otherWindow = server === 'shared' && rng.happens(0.5) ? await world.open() : undefined;
  const delay = rng.integer(0, 50);
  setTimeout(() => child.kill('SIGKILL'), delay);
  await exited;

  if (otherWindow) {
    assert.equal(otherWindow.window.processId, serverProcessId, 'the server was replaced');
    await world.assertSuggestsBeside(otherWindow, rng.pick(TYPING_SAMPLES) ?? assert.fail());
  }
  await until('its server has ended', () => !isAlive(serverProcessId));
  await world.assertLeftNothing();
}
