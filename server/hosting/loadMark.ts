// Marks pairs while they are being loaded, in files that outlive the process. A mark of a dead process shows a crash. A
// pair that has crashed two processes is refused for a day, as it would crash the next ones too.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flashlineCacheFolder } from '../machine/folders';
import { hasRunningProcess, processMark } from '../machine/isAlive';
import { UserError } from '../rules/userError';

/** Crashes after which a pair is refused. A single one can be a killed process, or a machine that was switched off. */
const MAX_CRASHES = 2;
/** Time after which crashes are forgotten: more memory can be free by then. */
const FORGIVEN_AFTER_MS = 24 * 3600 * 1000;

/** Error for a pair that is refused because loading it has crashed processes. */
export class LoadCrash extends UserError {}

/**
 * Marks a load as running until the returned function is called, which also forgets earlier crashes of the pair.
 * `identity` depends on the pair's files; the error names the pair `name`. Throws LoadCrash for a pair that has crashed
 * too often.
 */
export function markLoad(identity: string, name: string, folder = flashlineCacheFolder()): () => void {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const prefix = `loading-${hash}-`;
  if (crashMarks(folder, prefix).filter(isRecent).length >= MAX_CRASHES)
    throw new LoadCrash(
      `Loading ${name} crashed the server process each time. Choose a smaller model or fewer bits; ` +
        'this one is tried again after a day.',
    );
  const ownMark = processMark(process.pid);
  if (ownMark === undefined) return () => undefined;
  // Each process has a file of its own, since several can load the pair at the same time.
  const file = join(folder, prefix + ownMark);
  const endMark = (): void => {
    process.off('exit', endMark);
    for (const ended of [file, ...crashMarks(folder, prefix)]) removeMark(ended);
  };
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, '');
  } catch {
    return () => undefined; // The disk is full or read-only.
  }
  // A process that ends with an exit event has not crashed.
  process.once('exit', endMark);
  return endMark;
}

/** Returns the marks of processes that ended while they loaded the pair with this prefix. */
function crashMarks(folder: string, prefix: string): string[] {
  try {
    const marks = readdirSync(folder).filter((name) => name.startsWith(prefix));
    return marks
      .filter((name) => !hasRunningProcess(name.slice(prefix.length)))
      .map((name) => join(folder, name));
  } catch {
    return []; // There is no such folder.
  }
}

/** Returns whether a mark is less than a day old. Rejects times more than a day ahead, from a clock that was wrong. */
function isRecent(file: string): boolean {
  const { mtimeMs = -Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Math.abs(Date.now() - mtimeMs) < FORGIVEN_AFTER_MS;
}

function removeMark(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It belongs to another user.
  }
}
