// Other processes: whether one runs; and locks between them (below).
import { readFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Also true for those of other users; not for those that have ended and that nobody has waited for. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(processId);
}

/** In containers whose first process waits for no other, they stay until the container ends. False on other systems. */
function isZombie(processId: number): boolean {
  try {
    // The name of the program, in brackets, may have blanks.
    return /^.*\) Z/s.test(readFileSync(`/proc/${String(processId)}/stat`, 'utf8'));
  } catch {
    return false;
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
