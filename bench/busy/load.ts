// What else keeps the cores of a machine busy: programs that never end, or a type checker over and over.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** In the order of measuring. */
export const LOADS = ['quiet', 'one', 'two', 'tsc'] as const;

export type LoadName = (typeof LOADS)[number];

const ENDLESS = 'for (;;);';
/** Long enough that the scheduler has found places for all threads. */
const SETTLE_MS = 500;

/** Starts the load `name` and resolves once it runs, with a function that ends it. */
export async function startLoad(name: LoadName, project: string): Promise<() => Promise<void>> {
  const stops = await Promise.all(programs(name, project).map(keepRunning));
  await pause(SETTLE_MS);
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Arguments for Node. */
function programs(name: LoadName, project: string): string[][] {
  const tsc = require.resolve('typescript/bin/tsc');
  const endless = ['-e', ENDLESS];
  switch (name) {
    case 'quiet':
      return [];
    case 'one':
      return [endless];
    case 'two':
      return [endless, endless];
    case 'tsc':
      return [[tsc, '--noEmit', '--incremental', 'false', '-p', project]];
  }
}

/** Starts a program again whenever it ends. */
async function keepRunning(args: readonly string[]): Promise<() => Promise<void>> {
  let stopped = false;
  const start = (): ChildProcess =>
    spawn(process.execPath, args, { stdio: 'ignore' }).once('exit', () => {
      if (!stopped) child = start();
    });
  let child = start();
  await once(child, 'spawn');
  return async () => {
    stopped = true;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
}
