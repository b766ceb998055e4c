// A lock between processes: a file that its holder touches regularly. If the file has not been touched for a while, its
// holder counts as dead. A holder that has only slept finds another owner in the file when it wakes.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync, utimesSync, rmSync, statSync } from 'node:fs';
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

/** A lock that this process has taken. Touches its file regularly until it is released. */
export class HeldLock {
  readonly #touching = setInterval(() => {
    this.#touch();
  }, TOUCH_MS).unref();

  constructor(
    private readonly file: string,
    /** Content of the file while this lock is held. */
    private readonly owner: string,
  ) {}

  /**
   * Whether the lock is still held. If this process has slept for long, another one can have taken it; so check before
   * each change to what the lock protects.
   */
  get isHeld(): boolean {
    try {
      return readFileSync(this.file, 'utf8') === this.owner;
    } catch {
      return false; // It was removed, or belongs to another user by now.
    }
  }

  /** Throws an Error if the lock is no longer held. */
  requireHeld(): void {
    if (!this.isHeld)
      throw new Error(
        `Another process has taken the lock ${this.file}. Wait until it has ended, then try again.`,
      );
  }

  release(): void {
    clearInterval(this.#touching);
    if (this.isHeld) rmSync(this.file, { force: true });
  }

  #touch(): void {
    const now = new Date();
    try {
      if (this.isHeld) utimesSync(this.file, now, now);
    } catch {
      // It belongs to another user by now.
    }
  }
}

/** Waits for the lock, and resolves with it; with undefined if the work is done or the signal aborts. */
export async function lockFile(
  file: string,
  { wait, signal, isDone }: LockRequest,
): Promise<HeldLock | undefined> {
  mkdirSync(dirname(file), { recursive: true });
  const owner = randomUUID();
  for (;;) {
    // Do this even if the work is done: the holder can have been killed after the work and before the release.
    removeStale(file);
    if (isDone() || signal?.aborted) return undefined;
    try {
      writeFileSync(file, owner, { flag: 'wx' });
      return new HeldLock(file, owner);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await wait(POLL_MS, signal);
  }
}

/** Removes the lock of a dead holder. */
function removeStale(file: string): void {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // Compare the absolute value: if the clock was set back, the file would otherwise count as new for too long.
  if (Math.abs(Date.now() - touchedMs) > STALE_MS) rmSync(file, { force: true });
}
