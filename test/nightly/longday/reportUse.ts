// Loaded before a process that is watched: on SIGUSR2 it writes what it holds into a file of its folder. Counts timers
// that let the process end, which Node's own list leaves out.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useNow, type Use } from './useNow';

export interface ReportedUse extends Use {
  /** Those that are waiting, whether or not they keep the process running. */
  readonly timers: number;
}

/** Folder of the reports, each named after its process. */
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

/** All that are waiting, from now on. */
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
