// Preloaded into a measured process: writes the resources of the process into a file on SIGUSR2. Also counts timers
// that do not keep the process alive, which Node.js' list of active resources omits.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useNow, type ResourceUse } from './useNow';

export interface ReportedUse extends ResourceUse {
  /** Pending timers, whether or not they keep the process alive. */
  readonly timers: number;
}

/** Environment variable with the folder of the reports, which are named after processes. */
export const USE_FOLDER = 'FLASHLINE_USE_FOLDER';

type StartTimer = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

export function reportOnSignal(folder: string): void {
  const timers = countTimers();
  process.on('SIGUSR2', () => {
    const report: ReportedUse = { ...useNow(), timers: timers.size };
    const file = join(folder, `${String(process.pid)}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
  });
}

/** Replaces the global timer functions; returns the set of all timers that are pending from now on. */
function countTimers(): ReadonlySet<unknown> {
  const pending = new Set<unknown>();
  const counting = (start: StartTimer, isOnce: boolean): StartTimer =>
    Object.assign((callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const timer = start(
        (...callbackArgs) => {
          if (isOnce) pending.delete(timer);
          callback(...callbackArgs);
        },
        ms,
        ...args,
      );
      pending.add(timer);
      return timer;
    }, start);
  const clearing = (clear: (timer: unknown) => void) => (timer: unknown) => {
    pending.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, {
    setTimeout: counting(setTimeout as StartTimer, true),
    setInterval: counting(setInterval as StartTimer, false),
    clearTimeout: clearing(clearTimeout as (timer: unknown) => void),
    clearInterval: clearing(clearInterval as (timer: unknown) => void),
  });
  return pending;
}

const folder = process.env[USE_FOLDER];
if (folder !== undefined) reportOnSignal(folder);
