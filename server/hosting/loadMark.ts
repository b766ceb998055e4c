// Marks pairs while they are being loaded, in files that outlive the process. A mark of a dead process shows a crash. A
// pair that has crashed two processes is refused for a day, as it would crash the next ones too.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { flashlineCacheFolder } from '../machine/folders';
import { replaceFile } from '../machine/replaceFile';
import { isAlive } from '../machine/isAlive';
import { readRegularFile } from '../machine/regularFile';
import { UserError } from '../rules/userError';

/** Crashes after which a pair is refused. A single one can be a killed process, or a machine that was switched off. */
const MAX_CRASHES = 2;
/** Time after which crashes are forgotten: more memory can be free by then. */
const FORGIVEN_AFTER_MS = 24 * 3600 * 1000;
/** Maximum bytes of a mark; ours have less than 100. */
const MAX_BYTES = 1e5;

/** Error for a pair that is refused because loading it has crashed processes. */
export class LoadCrash extends UserError {}

/**
 * Marks a load as running until the returned function is called. `identity` depends on the pair's files; `name` is the
 * one in the error. Throws LoadCrash for a pair that has crashed too often.
 */
export function markLoad(identity: string, name: string, folder = flashlineCacheFolder()): () => void {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const file = join(folder, `loading-${hash}.json`);
  const crashes = readCrashes(file);
  if (crashes >= MAX_CRASHES)
    throw new LoadCrash(
      `Loading ${name} crashed the server process each time. Choose a smaller model or fewer bits; ` +
        'this one is tried again after a day.',
    );
  const endMark = (): void => {
    process.off('exit', endMark);
    rmSync(file, { force: true });
  };
  try {
    mkdirSync(folder, { recursive: true });
    replaceFile(file, JSON.stringify({ processId: process.pid, crashes }));
  } catch {
    return () => undefined; // The disk is full or read-only.
  }
  // A process that ends with an exit event has not crashed.
  process.once('exit', endMark);
  return endMark;
}

/** Counts the processes that have crashed while they loaded the pair of this file. */
function readCrashes(file: string): number {
  try {
    // Also ignores a mark with a time in the future, made while the clock was wrong.
    if (Math.abs(Date.now() - statSync(file).mtimeMs) >= FORGIVEN_AFTER_MS) return 0;
    const { processId, crashes } = JSON.parse(readRegularFile(file, MAX_BYTES).toString()) as Record<
      string,
      unknown
    >;
    if (!Number.isInteger(processId) || !Number.isInteger(crashes)) return 0;
    return Number(crashes) + (isAlive(Number(processId)) ? 0 : 1);
  } catch {
    return 0; // There is no such file, or a damaged one.
  }
}
