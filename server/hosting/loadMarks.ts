// Remembers which pairs are being loaded, in files that outlive the process: a pair that has taken two processes down is
// refused for a day, as it would take down each one that follows.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../rules/inputError';
import { ownCacheFolder } from '../machine/folders';
import { isAlive } from '../machine/isAlive';
import { replaceFile } from '../machine/replaceFile';

/** Once may be somebody who ended the process, or closed the machine. */
const MOST_CRASHES = 2;
/** By then, more memory may be free. */
const FORGIVEN_AFTER_MS = 24 * 3600 * 1000;

/** Loading a pair has taken processes down, so it is not tried. */
export class LoadCrash extends InputError {}

export class LoadMarks {
  constructor(private readonly folder = ownCacheFolder()) {}

  /**
   * Call before a pair is loaded, and what is returned when that has ended in whatever way. `identity` tells pairs apart
   * by their files; `name` is for the user. Throws LoadCrash for a pair that is not to be tried.
   */
  begin(identity: string, name: string): () => void {
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const file = join(this.folder, `loading-${hash}.json`);
    const crashes = crashesIn(file);
    if (crashes >= MOST_CRASHES)
      throw new LoadCrash({
        expected: `${name} to be loaded`,
        got: 'the server process crashed each time',
        remedy: 'choose a smaller model or fewer bits; this one is tried again after a day',
      });
    const ended = (): void => {
      process.off('exit', ended);
      rmSync(file, { force: true });
    };
    try {
      mkdirSync(this.folder, { recursive: true });
      replaceFile(file, JSON.stringify({ processId: process.pid, crashes }));
    } catch {
      return () => undefined; // The disk is full or read-only.
    }
    // A process that is told to end does not crash.
    process.once('exit', ended);
    return ended;
  }
}

/** How many processes have ended while they loaded this pair. */
function crashesIn(file: string): number {
  try {
    // Also one from the future, of a time when the clock was wrong.
    if (Math.abs(Date.now() - statSync(file).mtimeMs) >= FORGIVEN_AFTER_MS) return 0;
    const { processId, crashes } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (!Number.isInteger(processId) || !Number.isInteger(crashes)) return 0;
    return Number(crashes) + (isAlive(Number(processId)) ? 0 : 1);
  } catch {
    return 0; // There is no such file, or a damaged one.
  }
}
