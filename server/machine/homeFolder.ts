// A home for users that the system has no home for, such as those of containers that run under any number, and the
// folder for what Flashline found out about models on this machine.
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir, platform } from 'node:os';
import { join } from 'node:path';

/**
 * Afterwards os.homedir() works: where the system knows none, it is a folder of this user among the temporary ones. Its
 * name is another one each time, as anybody could put something under a name that is known.
 */
export function ensureHomeFolder(): void {
  try {
    homedir();
  } catch {
    process.env['HOME'] = mkdtempSync(join(tmpdir(), 'flashline-home-'));
  }
}

export function ownCacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}
