// Tells a process from a later one that has got its number, as after a restart.
import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { linuxStat, ZOMBIE } from './isAlive';

/** Start times in the same words for every process that asks, whatever its language and time zone. */
const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 5_000,
};

/** Number and start time of a process; undefined if there is none, or nothing but its exit code is left. */
export function processMark(processId: number): string | undefined {
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  const started = process.platform === 'linux' ? linuxStart(processId) : psStart(processId);
  const mark = (started ?? '').trim().replace(/\W+/g, '-');
  return mark === '' ? undefined : `${String(processId)}.${mark}`;
}

function linuxStart(processId: number): string | undefined {
  const stat = linuxStat(processId);
  return stat?.[0] === ZOMBIE ? undefined : stat?.[19];
}

function psStart(processId: number): string | undefined {
  try {
    const [state = '', ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(processId)], PS)
      .trim()
      .split(/\s+/);
    return state.startsWith(ZOMBIE) ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
