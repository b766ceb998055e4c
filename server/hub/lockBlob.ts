// Lets one process at a time write a blob, by a file that the writer creates, touches while it works, and removes. If a
// lock fails all the same, checksums keep the cache right.
import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Wait } from './connection';

const TOUCH_MS = 2_000;
/** A writer that has not touched its file for this long is gone. */
const STALE_MS = 15_000;
const POLL_MS = 250;

interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt: another process may have written the blob by now. */
  readonly isDone: () => boolean;
}

/** Waits for the lock. Returns its release, or undefined if nothing is left to do or the signal aborts. */
export async function lockBlob(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  while (!isDone() && !signal?.aborted) {
    removeStale(file);
    try {
      writeFileSync(file, '', { flag: 'wx' });
      return held(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await wait(POLL_MS, signal);
  }
  // Its writer may have been killed between the last byte and the release.
  removeStale(file);
  return undefined;
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
