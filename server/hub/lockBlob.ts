// Lets one process at a time write a blob, by a file that the writer creates, touches while it works, and removes. If a
// lock fails all the same, checksums keep the cache right.
import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { isAlive } from '../machine/isAlive';
import type { Wait } from './connection';

const TOUCH_MS = 5_000;
/** A writer that has not touched its file for this long is gone. */
const STALE_MS = 60_000;
const POLL_MS = 250;

export interface LockRequest {
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
  // Its writer may have been killed between the last byte and the release.
  removeStale(file);
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
    if (isOurs()) removeOwned(file, owner);
  };
}

function removeStale(file: string): void {
  const owner = readOwner(file);
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (owner === undefined) return;
  // A clock that was set back must not make it last.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS || isGone(owner)) removeOwned(file, owner);
}

/** Moved before it is looked at: by then it may be the lock of another process, which gets it back. */
function removeOwned(file: string, owner: string): void {
  const moved = `${file}.${randomUUID()}`;
  try {
    renameSync(file, moved);
    // Fails where somebody has a newer one.
    if (readOwner(moved) !== owner) linkSync(moved, file);
  } catch {
    // Somebody else was first.
  } finally {
    rmSync(moved, { force: true });
  }
}

/** Whether the process of the owner has ended, as far as this machine can tell. */
function isGone(owner: string): boolean {
  try {
    const { host, pid } = JSON.parse(owner) as { host?: unknown; pid?: unknown };
    return host === hostname() && Number.isInteger(pid) && !isAlive(Number(pid));
  } catch {
    return false;
  }
}

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
