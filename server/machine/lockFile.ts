// A lock between processes: a file that its holder touches regularly, so that the lock of a process that died is known
// by its age.
import { mkdirSync, writeFileSync, existsSync, utimesSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Resolves after the given milliseconds, or as soon as the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const TOUCH_MS = 2_000;

/** A holder that has not touched its file for this long has died. */
const STALE_MS = 15_000;

const POLL_MS = 250;

interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt: another process can have done the work in the meantime. */
  readonly isDone: () => boolean;
}

/** Waits for the lock. Returns its release, or undefined if nothing is left to do or the signal aborts. */
export async function lockFile(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    // Even if the work is done: the holder can have been killed between its last byte and the release.
    removeStale(file);
    if (isDone() || signal?.aborted) return undefined;
    try {
      writeFileSync(file, '', { flag: 'wx' });
      return hold(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await wait(POLL_MS, signal);
  }
}

function hold(file: string): () => void {
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
  // The absolute value, so that a clock that was set back does not keep a lock forever.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS) rmSync(file, { force: true });
}
