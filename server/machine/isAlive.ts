// Other processes: whether one runs, and is the one that had its number before; and locks between them (below).
import { readFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { dirname } from 'node:path';

/** Also true for those of other users; not for those that have ended and that nobody has waited for. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return linuxStat(processId)?.[0] !== ZOMBIE;
}

/** In containers whose first process waits for no other, they stay until the container ends. */
const ZOMBIE = 'Z';

/** Fields of /proc/N/stat from the state on; undefined on other systems, and without such a process. */
function linuxStat(processId: number): string[] | undefined {
  try {
    // The name of the program, in brackets, may have blanks.
    return readFileSync(`/proc/${String(processId)}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

/** Start times in the same words for every process that asks, whatever its language and time zone. */
const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 5_000,
};

/**
 * Number and start time, which tell a process from a later one of its number, as after a restart. Undefined if there is
 * none, or nothing but its exit code is left.
 */
export function processMark(processId: number): string | undefined {
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  const started = process.platform === 'linux' ? linuxStart(processId) : psStart(processId);
  const mark = (started ?? '').trim().replace(/\W+/g, '-');
  return mark === '' ? undefined : `${String(processId)}.${mark}`;
}

function linuxStart(processId: number): string | undefined {
  const stat = linuxStat(processId);
  return stat?.[0] === ZOMBIE ? undefined : stat?.[19];
}

function psStart(processId: number): string | undefined {
  try {
    const [state = '', ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(processId)], PS)
      .trim()
      .split(/\s+/);
    return state.startsWith(ZOMBIE) ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

// A lock between processes: a file that whoever holds it touches, so that one left by a process that died is seen to be
// old. Does not know what it guards.

/** Resolves after the given milliseconds, or at once when the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const TOUCH_MS = 2_000;
/** A writer that has not touched its file for this long is gone. */
const STALE_MS = 15_000;
const POLL_MS = 250;

interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt: another process may have done the work by now. */
  readonly isDone: () => boolean;
}

/** Waits for the lock. Returns its release, or undefined if nothing is left to do or the signal aborts. */
export async function lockFile(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    // Also where nothing is left to do: its writer may have been killed between the last byte and the release.
    removeStale(file);
    if (isDone() || signal?.aborted) return undefined;
    try {
      writeFileSync(file, '', { flag: 'wx' });
      return held(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await wait(POLL_MS, signal);
  }
}

function held(file: string): () => void {
  const touch = setInterval(() => {
    const now = new Date();
    if (existsSync(file)) utimesSync(file, now, now);
  }, TOUCH_MS).unref();
  return () => {
    clearInterval(touch);
    rmSync(file, { force: true });
  };
}

function removeStale(file: string): void {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // A clock that was set back must not make it last.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS) rmSync(file, { force: true });
}
