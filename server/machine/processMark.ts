// Tells a process from a later one that has got its number, as after a restart.
import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Start times in the same words for every process that asks, whatever its language and time zone. */
const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 5_000,
};

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
        : execFileSync('ps', ['-o', 'lstart=', '-p', String(processId)], PS);
    const mark = (started ?? '').trim().replace(/\W+/g, '-');
    return mark === '' ? undefined : `${String(processId)}.${mark}`;
  } catch {
    return undefined;
  }
}
