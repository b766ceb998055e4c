// Queries whether the memory of the machine, or of a control group of this process, is low. The pressure counts as
// normal if the system does not report it.
import { readFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { outputOf } from './systemProgram';

export type MemoryPressure = 'normal' | 'warning' | 'critical';

/** Memory of the machine or of a control group, in bytes. */
interface MemoryUse {
  readonly total: number;
  readonly available: number;
}

/** Pressure by available memory, which must be below `share` of the total and below `bytes`. */
const THRESHOLDS = [
  { pressure: 'critical', share: 0.05, bytes: 1e9 },
  { pressure: 'warning', share: 0.1, bytes: 2e9 },
] as const;

/** Pressure by the levels that sysctl prints on macOS when memory is low. */
const MAC_PRESSURES = new Map<number, MemoryPressure>([
  [2, 'warning'],
  [4, 'critical'],
]);

/**
 * Memory files of Linux control groups: of version 2, and of version 1, which has a separate tree for memory. `line`
 * finds the group of this process in /proc/self/cgroup; `prefix` begins the fields of memory.stat that include
 * subgroups.
 */
const CGROUP_TREES = [
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
 * Queries the memory pressure; never rejects. `read` returns the text of a file, `print` the output of a program; both
 * reject if there is none.
 */
export async function memoryPressure({
  platform = process.platform,
  read = (path: string) => readFile(path, 'utf8'),
  print = outputOf,
} = {}): Promise<MemoryPressure> {
  try {
    const query = ['-n', 'kern.memorystatus_vm_pressure_level'];
    if (platform === 'darwin') return MAC_PRESSURES.get(Number(await print('sysctl', query))) ?? 'normal';
    return platform === 'linux' ? highestPressure(await readUses(read)) : 'normal';
  } catch {
    return 'normal';
  }
}

/** Returns the highest pressure of the machine and its control groups. */
function highestPressure(uses: readonly MemoryUse[]): MemoryPressure {
  const isBelow = ({ share, bytes }: (typeof THRESHOLDS)[number]): boolean =>
    uses.some(({ total, available }) => available < Math.min(share * total, bytes));
  return THRESHOLDS.find(isBelow)?.pressure ?? 'normal';
}

async function readUses(read: (path: string) => Promise<string>): Promise<MemoryUse[]> {
  const readOrEmpty = (path: string): Promise<string> => read(path).catch(() => '');
  const machine = await readOrEmpty('/proc/meminfo');
  const total = 1024 * field(machine, 'MemTotal:');
  const available = 1024 * field(machine, 'MemAvailable:');
  const groups = await readOrEmpty('/proc/self/cgroup');
  const limited = CGROUP_TREES.flatMap((tree) => {
    const groupPath = tree.line.exec(groups)?.[1];
    if (groupPath === undefined) return [];
    return ancestors(groupPath).map((group) => groupUse(tree, group, readOrEmpty));
  });
  // A group without a limit has the text `max`, which becomes NaN, or a limit above the machine's memory.
  const uses = (await Promise.all(limited)).filter((group) => !(group.total >= total));
  return [{ total, available }, ...uses].filter((use) => use.total > 0 && Number.isFinite(use.available));
}

async function groupUse(
  { root, limit, usage, prefix }: (typeof CGROUP_TREES)[number],
  group: string,
  readOrEmpty: (path: string) => Promise<string>,
): Promise<MemoryUse> {
  const texts = [limit, usage, 'memory.stat'].map((name) => readOrEmpty(join(root, group, name)));
  const [limitText = '', usedText = '', stat = ''] = await Promise.all(texts);
  // Cached files count as used, but the kernel frees them on demand.
  const files = ['inactive_file', 'active_file'].map((name) => field(stat, prefix + name) || 0);
  const total = parseInt(limitText, 10);
  return { total, available: total - parseInt(usedText, 10) + files.reduce((sum, bytes) => sum + bytes, 0) };
}

/** Returns a control group and its ancestors: each can have a limit. A container can see its own group as the root. */
function ancestors(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))];
}

/** Returns the number after a name at the start of a line; NaN if there is none. */
function field(text: string, name: string): number {
  const line = text.split('\n').find((row) => row.startsWith(`${name} `));
  return line === undefined ? NaN : parseInt(line.slice(name.length), 10);
}
