// Tells a process from a later one that has got its number, as after a restart.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Number and start time of a process; undefined if there is none. */
export function processMark(processId: number): string | undefined {
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  try {
    // The name of the program, in brackets, may have blanks; the time is the 20th field after it.
    const started =
      process.platform === 'linux'
        ? readFileSync(`/proc/${String(processId)}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ')[19]
        : execFileSync('ps', ['-o', 'lstart=', '-p', String(processId)], { encoding: 'utf8' });
    return `${String(processId)}.${(started ?? '').trim().replace(/\W+/g, '-')}`;
  } catch {
    return undefined;
  }
}
