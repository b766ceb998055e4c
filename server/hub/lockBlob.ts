// One process at a time writes a blob: a file that the writer makes, touches while it works, and removes.
// Knows not what is written; if a lock fails all the same, checksums keep the cache right.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Wait } from './connection';

const TOUCH_MS = 5_000;
/** A writer that was not heard of for so long is gone. */
const STALE_MS = 60_000;
const POLL_MS = 250;

export interface LockRequest {
  readonly wait: Wait;
  readonly signal?: AbortSignal | undefined;
  /** Asked before each try: what is to be written may be there by now. */
  readonly isDone: () => boolean;
}

/** Waits for the lock. Gives back what releases it, or undefined when nothing is left to do or the signal aborts. */
export async function lockBlob(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<(() => void) | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  while (!isDone() && !signal?.aborted) {
    try {
      writeFileSync(file, owner, { flag: 'wx' });
      return held(file, owner);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    removeStale(file);
    await wait(POLL_MS, signal);
  }
  return undefined;
}

function held(file: string, owner: string): () => void {
  const isOurs = (): boolean => readOwner(file) === owner;
  const touch = setInterval(() => {
    const now = new Date();
    if (isOurs()) utimesSync(file, now, now);
  }, TOUCH_MS);
  touch.unref();
  return () => {
    clearInterval(touch);
    if (isOurs()) rmSync(file, { force: true });
  };
}

/** Moved before it is removed, so that of two who find it only one does so. */
function removeStale(file: string): void {
  try {
    const owner = readFileSync(file, 'utf8');
    if (Date.now() - statSync(file).mtimeMs <= STALE_MS && !isGone(owner)) return;
    // Another one may have taken it over since.
    if (readOwner(file) !== owner) return;
    const moved = `${file}.${randomUUID()}`;
    renameSync(file, moved);
    rmSync(moved, { force: true });
  } catch {
    // Somebody else was first.
  }
}

/** Whether the process of the owner has ended, as far as this machine can tell. */
function isGone(owner: string): boolean {
  try {
    const { host, pid } = JSON.parse(owner) as { host?: unknown; pid?: unknown };
    if (host !== hostname() || typeof pid !== 'number') return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
