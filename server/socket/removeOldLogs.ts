// What crashed servers have printed stays for the windows that lost them, and then goes.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const KEEP_MS = 3_600_000;
const SUFFIX = '.log';

/** Those of servers that have ended; a server that runs has its socket beside its log. */
export function removeOldLogs(folder: string): void {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (!file.endsWith(SUFFIX) || existsSync(path.slice(0, -SUFFIX.length))) continue;
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (written !== undefined && Date.now() - written > KEEP_MS) rmSync(path, { force: true });
  }
}
