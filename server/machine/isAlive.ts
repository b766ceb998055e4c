// Checks whether another process is running, and whether it is the same process that had its id before.
import { readFileSync } from 'node:fs';
import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';

/** State of a process that has ended, but whose parent has not waited for it. In some containers it stays forever. */
const ZOMBIE = 'Z';
/** Index of the start time in the fields of /proc/N/stat, of which the state is the first here. */
const START_TIME = 19;

/** Returns whether a process of any user is running. On Linux, zombies are not. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return linuxStat(processId)?.[0] !== ZOMBIE;
}

/** Returns the fields of /proc/N/stat from the state on; undefined on other systems, or without such a process. */
function linuxStat(processId: number): string[] | undefined {
  try {
    // The fields before the state end with the name of the program, in brackets, which can contain blanks.
    return readFileSync(`/proc/${String(processId)}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

/** Options for ps that make start times independent of language and time zone. */
const PS: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  stdio: ['ignore', 'pipe', 'ignore'],
  timeout: 5_000,
};

/**
 * Returns the id and start time of a process, which distinguish it from a later one with the same id. Undefined if
 * there is no such process, and for a zombie.
 */
export function processMark(processId: number): string | undefined {
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  const started = process.platform === 'linux' ? linuxStart(processId) : psStart(processId);
  const mark = (started ?? '').trim().replace(/\W+/g, '-');
  return mark === '' ? undefined : `${String(processId)}.${mark}`;
}

/** Returns whether the process with this mark is running. Its id alone could be that of a later process. */
export function hasRunningProcess(mark: string): boolean {
  return mark === processMark(Number.parseInt(mark, 10));
}

function linuxStart(processId: number): string | undefined {
  const stat = linuxStat(processId);
  return stat?.[0] === ZOMBIE ? undefined : stat?.[START_TIME];
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
