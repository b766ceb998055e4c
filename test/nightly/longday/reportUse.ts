// Preloaded into a watched process: on SIGUSR2 it writes its resources into a file of a folder. Counts timers that do
// not keep the process alive, which Node.js' own list omits.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useNow, type Use } from './useNow';

export interface ReportedUse extends Use {
  /** Pending timers, whether or not they keep the process alive. */
  readonly timers: number;
}

/** Environment variable with the folder of the reports, which are named after processes. */
export const USE_FOLDER = 'FLASHLINE_USE_FOLDER';

type Start = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

export function reportOnSignal(folder: string): void {
  const timers = countTimers();
  process.on('SIGUSR2', () => {
    const report: ReportedUse = { ...useNow(), timers: timers.size };
    const file = join(folder, `${String(process.pid)}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
  });
}

/** Counts all timers from now on. */
function countTimers(): ReadonlySet<unknown> {
  const waiting = new Set<unknown>();
  const counted = (start: Start, isOnce: boolean): Start =>
    Object.assign((callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const timer = start(
        (...given) => {
          if (isOnce) waiting.delete(timer);
          callback(...given);
        },
        ms,
        ...args,
      );
      waiting.add(timer);
      return timer;
    }, start);
  const clearing = (clear: (timer: unknown) => void) => (timer: unknown) => {
    waiting.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, {
    setTimeout: counted(setTimeout as Start, true),
    setInterval: counted(setInterval as Start, false),
    clearTimeout: clearing(clearTimeout as (timer: unknown) => void),
    clearInterval: clearing(clearInterval as (timer: unknown) => void),
  });
  return waiting;
}

const folder = process.env[USE_FOLDER];
if (folder !== undefined) reportOnSignal(folder);
