// Whether a process runs.
import { readFileSync } from 'node:fs';

/** Also true for those of other users; not for those that have ended and that nobody has waited for. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return linuxStat(processId)?.[0] !== ZOMBIE;
}

/** In containers whose first process waits for no other, they stay until the container ends. */
export const ZOMBIE = 'Z';

/** Fields of /proc/N/stat from the state on; undefined on other systems, and without such a process. */
export function linuxStat(processId: number): string[] | undefined {
  try {
    // The name of the program, in brackets, may have blanks.
    return readFileSync(`/proc/${String(processId)}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
