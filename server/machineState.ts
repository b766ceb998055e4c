// The state of the machine as the system tells it: how short it is of memory, and whether it runs on a battery. Where
// nothing can be found out, it is neither.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** For a program that is asked. */
const PATIENCE_MS = 2_000;

export type MemoryPressure = 'normal' | 'warning' | 'critical';

/** Bytes of a machine, or of the part of it that a group of processes may use. */
export interface MemoryUse {
  readonly total: number;
  readonly available: number;
}

/** Below this share of all memory is left, or below so many bytes where that is less. */
const WARNING = { share: 0.1, bytes: 2e9 };
const CRITICAL = { share: 0.05, bytes: 1e9 };
/** Where Linux has the limits of groups: all in one tree, or those of memory in one of their own. */
const TREES = [
  { root: '/sys/fs/cgroup', line: /^0::(.*)$/m, limit: 'memory.max', usage: 'memory.current', prefix: '' },
  {
    root: '/sys/fs/cgroup/memory',
    line: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    prefix: 'total_',
  },
] as const;

/**
 * Gives a function that asks the system; it never throws. `read` gives the text of a file, `print` what a program
 * prints; both reject where there is none.
 */
export function memoryPressure({
  platform = process.platform,
  read = (path: string) => readFile(path, 'utf8'),
  print = printed,
} = {}): () => Promise<MemoryPressure> {
  return async () => {
    try {
      if (platform === 'darwin')
        return pressureByMac(await print('sysctl', ['-n', 'kern.memorystatus_vm_pressure_level']));
      return platform === 'linux' ? worst(await readUses(read)) : 'normal';
    } catch {
      return 'normal';
    }
  };
}

/** By what sysctl prints. */
export function pressureByMac(output: string): MemoryPressure {
  const level = Number(output);
  return level === 4 ? 'critical' : level === 2 ? 'warning' : 'normal';
}

/** The tightest limit counts. */
export function worst(uses: readonly MemoryUse[]): MemoryPressure {
  const isBelow = ({ share, bytes }: typeof WARNING): boolean =>
    uses.some(({ total, available }) => available < Math.min(share * total, bytes));
  return isBelow(CRITICAL) ? 'critical' : isBelow(WARNING) ? 'warning' : 'normal';
}

async function readUses(read: (path: string) => Promise<string>): Promise<MemoryUse[]> {
  const found = (path: string): Promise<string> => read(path).catch(() => '');
  const machine = await found('/proc/meminfo');
  const total = 1024 * field(machine, 'MemTotal:');
  const available = 1024 * field(machine, 'MemAvailable:');
  const groups = await found('/proc/self/cgroup');
  const limited = TREES.flatMap((tree) => {
    const own = tree.line.exec(groups)?.[1];
    return own === undefined ? [] : ancestors(own).map((group) => groupUse(tree, group, found));
  });
  // Where there is no limit it is no number, or larger than the machine.
  const uses = (await Promise.all(limited)).filter((group) => !(group.total >= total));
  return [{ total, available }, ...uses].filter((use) => use.total > 0 && Number.isFinite(use.available));
}

async function groupUse(
  { root, limit, usage, prefix }: (typeof TREES)[number],
  group: string,
  found: (path: string) => Promise<string>,
): Promise<MemoryUse> {
  const texts = [limit, usage, 'memory.stat'].map((name) => found(join(root, group, name)));
  const [most = '', used = '', stat = ''] = await Promise.all(texts);
  // Files that were read count as used, but give way at once.
  const files = ['inactive_file', 'active_file'].map((name) => field(stat, prefix + name) || 0);
  const total = parseInt(most, 10);
  return { total, available: total - parseInt(used, 10) + files.reduce((sum, bytes) => sum + bytes, 0) };
}

/** Of a group and those around it, as each may have a limit; a container may see its own as the outermost. */
function ancestors(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))];
}

/** A number after its name; NaN where there is none. */
function field(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? NaN : parseInt(line.slice(name.length), 10);
}

/** The files in which Linux describes a supply, each of which may be missing. */
const SUPPLY_FILES = ['type', 'online', 'status', 'scope'] as const;

/** A `scope` of `Device` is the battery of a mouse or the like. */
export type PowerSupply = Readonly<Partial<Record<(typeof SUPPLY_FILES)[number], string>>>;

const KEPT_MS = 30_000;

/**
 * Gives a function that tells whether the machine is plugged in, and asks the system every half a minute at most. Linux
 * keeps a folder for each supply; `now` gives milliseconds, from any start.
 */
export function powerSource({
  platform = process.platform,
  suppliesFolder = '/sys/class/power_supply',
  now = () => performance.now(),
} = {}): () => Promise<boolean> {
  let asked = -Infinity;
  let answer = Promise.resolve(true);
  return () => {
    if (now() - asked >= KEPT_MS) {
      asked = now();
      answer = readPluggedIn(platform, suppliesFolder).catch(() => true);
    }
    return answer;
  };
}

/** An external supply decides; without one, a battery of the machine's own that is being emptied. */
export function pluggedInByLinux(supplies: readonly PowerSupply[]): boolean {
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  const external = supplies.filter(({ type, online }) => type !== 'Battery' && online !== undefined);
  if (batteries.length === 0 || external.some(({ online }) => online !== '0')) return true;
  return external.length === 0 && batteries.every(({ status }) => status !== 'Discharging');
}

/** By the output of `pmset -g batt`. */
export function pluggedInByMac(output: string): boolean {
  const source = /drawing from '([^']+)'/.exec(output)?.[1];
  return source === undefined || source === 'AC Power';
}

async function readPluggedIn(platform: NodeJS.Platform, suppliesFolder: string): Promise<boolean> {
  if (platform === 'linux') return pluggedInByLinux(await readSupplies(suppliesFolder));
  if (platform !== 'darwin') return true;
  return pluggedInByMac(await printed('pmset', ['-g', 'batt']));
}

async function readSupplies(folder: string): Promise<PowerSupply[]> {
  const supplies = (await readdir(folder)).map(async (name) => {
    const files = SUPPLY_FILES.map(async (file) => {
      const text = await readFile(join(folder, name, file), 'utf8').catch(() => undefined);
      return [file, text?.trim()];
    });
    return Object.fromEntries(await Promise.all(files)) as PowerSupply;
  });
  return await Promise.all(supplies);
}

async function printed(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { timeout: PATIENCE_MS })).stdout;
}
