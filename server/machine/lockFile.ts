// A lock between processes: a file that its holder touches regularly. If the file has not been touched for a while, its
// holder counts as dead.
import { mkdirSync, writeFileSync, utimesSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Resolves after the given milliseconds, or as soon as the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const TOUCH_MS = 2_000;

/** Age of the file after which its holder counts as dead. */
const STALE_MS = 15_000;

const POLL_MS = 250;

interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Returns whether another process has done the work in the meantime. Called before each attempt. */
  readonly isDone: () => boolean;
}

/** Waits for the lock, and resolves with its release; with undefined if the work is done or the signal aborts. */
export async function lockFile(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    // Also removed if the work is done: the holder can have been killed after the work and before the release.
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

/** Touches the file regularly, until the returned function releases the lock. */
function hold(file: string): () => void {
  const touch = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // It was removed, or belongs to another user by now.
    }
  }, TOUCH_MS).unref();
  return () => {
    clearInterval(touch);
    rmSync(file, { force: true });
  };
}

/** Removes the lock of a dead holder. */
function removeStale(file: string): void {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // The absolute value: if the clock was set back, the file would otherwise count as new for too long.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS) rmSync(file, { force: true });
}
