// A home for users that the system has no home for, such as those of containers that run under any number.
import { mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
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
