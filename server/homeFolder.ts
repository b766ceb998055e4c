// A home for users that the system has no home for, such as those of containers that run under any number.
import { mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Afterwards os.homedir() works: where the system knows none, it is a folder of this user among the temporary ones. */
export function ensureHomeFolder(): void {
  try {
    homedir();
  } catch {
    const home = join(tmpdir(), `flashline-home-${String(process.getuid?.() ?? '')}`);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    process.env['HOME'] = home;
  }
}
