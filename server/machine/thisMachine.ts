// What this machine has for models: memory, disk, and how fast its memory is read, by the figures that Apple states for
// its chips; what is too much for it; and how much of it this process has taken.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { formatSize } from '../rules/numbers';
import { InputError } from '../rules/inputError';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** GPUs are those of Macs. */
type Processor = 'cpu' | 'gpu';

/** The share of memory for models; the rest is for the system and the editor. */
const USABLE_SHARE = 0.75;
/** What macOS lets the GPU of a Mac with less memory than that use, a smaller share of it. */
const [SMALL_MAC_BYTES, SMALL_MAC_SHARE] = [36e9, 2 / 3];

/** For whatever else writes to the disk meanwhile. */
const DISK_MARGIN = 256 * 2 ** 20;

type Tier = '' | ' Pro' | ' Max' | ' Ultra';

/** Memory bandwidth in GB/s; the smallest where a chip comes with several. */
const APPLE: Readonly<Record<string, Readonly<Partial<Record<Tier, number>>>>> = {
  M1: { '': 68, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M2: { '': 100, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M3: { '': 100, ' Pro': 150, ' Max': 300, ' Ultra': 800 },
  M4: { '': 120, ' Pro': 273, ' Max': 410 },
  M5: { '': 153, ' Pro': 307, ' Max': 460 },
};
/** The share of the stated bandwidth that the matrix products of a decode step reach. */
const REACHED = 0.7;
/** What two cores of an x64 server read in one of our decode steps; most machines read faster. */
const CPU_BYTES_PER_SECOND = 8e9;

type ThisMachine = ReturnType<typeof thisMachine>;

/** `cache` is where downloads go; it need not exist yet. */
export function thisMachine(cache: string) {
  const processor: Processor = process.platform === 'darwin' && process.arch === 'arm64' ? 'gpu' : 'cpu';
  const memoryBytes = totalMemory();
  return {
    memoryBytes,
    usableBytes: usableBytes(memoryBytes, processor),
    freeDiskBytes: freeDiskBytes(cache),
    processor,
  };
}

/** In bytes, what the system lets this process have: in a container often less than the machine has. */
export function totalMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** Of the memory, what models may use. */
export function usableBytes(memoryBytes: number, processor: Processor): number {
  const isSmallMac = processor === 'gpu' && memoryBytes < SMALL_MAC_BYTES;
  return memoryBytes * (isSmallMac ? SMALL_MAC_SHARE : USABLE_SHARE);
}

function freeDiskBytes(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeDiskBytes(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** `missingBytes` are to be written into a folder. */
export function diskProblem(
  missingBytes: number,
  { freeDiskBytes }: ThisMachine,
  folder: string,
): InputError | undefined {
  if (missingBytes === 0 || missingBytes + DISK_MARGIN <= freeDiskBytes) return undefined;
  return new InputError({
    expected: `${formatSize(missingBytes)} free in ${folder}`,
    got: formatSize(freeDiskBytes),
    remedy: 'free some space or use another folder (HF_HUB_CACHE)',
  });
}

/** `name` is what needs `bytes`. */
export function memoryProblem(
  bytes: number | undefined,
  name: string,
  { memoryBytes, usableBytes, processor }: ThisMachine,
): InputError | undefined {
  if (bytes === undefined || bytes <= usableBytes) return undefined;
  return new InputError({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${processor}`,
    got: `${formatSize(usableBytes)} usable of ${formatSize(memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** Bytes that decoding reads per second. `model` is the system's name for its processor. */
export function memoryBandwidth(processor: Processor, model = cpus()[0]?.model ?? ''): number {
  if (processor === 'cpu') return CPU_BYTES_PER_SECOND;
  const [, chip = '', tier = ''] = /^Apple (M\d+)( Pro| Max| Ultra)?/.exec(model) ?? [];
  const known = APPLE[chip]?.[tier as Tier];
  // A chip newer than this table is at least as fast as the slowest of its newest.
  const stated = known ?? APPLE['M5']?.[''] ?? 0;
  return 1e9 * stated * REACHED;
}

/**
 * The peak memory of this process. On Linux from the kernel's own line: getrusage hands the peak of a parent process on
 * to its children.
 */
export function peakResidentBytes(): number {
  const status = '/proc/self/status';
  const line = existsSync(status) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8')) : null;
  return 1024 * (line ? Number(line[1]) : process.resourceUsage().maxRSS);
}

// The state of the machine as the system reports it: whether memory is low, and whether it runs on a battery. If that
// cannot be found out, it is neither.

/** Time limit for a system program. */
const PATIENCE_MS = 2_000;

export type MemoryPressure = 'normal' | 'warning' | 'critical';

/** Bytes of a machine, or of the part of it that a group of processes may use. */
interface MemoryUse {
  readonly total: number;
  readonly available: number;
}

/** The pressure when less than this share of all memory is left, or less than `bytes`, whichever is smaller. */
const SHORT = [
  { pressure: 'critical', share: 0.05, bytes: 1e9 },
  { pressure: 'warning', share: 0.1, bytes: 2e9 },
] as const;
/** What sysctl prints when memory is low. */
const MAC_LEVELS = new Map<number, MemoryPressure>([
  [2, 'warning'],
  [4, 'critical'],
]);
/** Where Linux keeps the limits of control groups: all in one tree (v2), or those of memory in their own (v1). */
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
 * Returns a function that queries the system and never throws. `read` returns the text of a file, `print` the output of
 * a program; both reject if there is none.
 */
export function memoryPressure({
  platform = process.platform,
  read = (path: string) => readFile(path, 'utf8'),
  print = printed,
} = {}): () => Promise<MemoryPressure> {
  return async () => {
    try {
      const level = ['-n', 'kern.memorystatus_vm_pressure_level'];
      if (platform === 'darwin') return MAC_LEVELS.get(Number(await print('sysctl', level))) ?? 'normal';
      return platform === 'linux' ? worst(await readUses(read)) : 'normal';
    } catch {
      return 'normal';
    }
  };
}

/** The tightest limit counts. */
function worst(uses: readonly MemoryUse[]): MemoryPressure {
  const isBelow = ({ share, bytes }: (typeof SHORT)[number]): boolean =>
    uses.some(({ total, available }) => available < Math.min(share * total, bytes));
  return SHORT.find(isBelow)?.pressure ?? 'normal';
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
  // Without a limit, the value is not a number or larger than the machine's memory.
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
  // Cached files count as used, but are given up at once.
  const files = ['inactive_file', 'active_file'].map((name) => field(stat, prefix + name) || 0);
  const total = parseInt(most, 10);
  return { total, available: total - parseInt(used, 10) + files.reduce((sum, bytes) => sum + bytes, 0) };
}

/** A group and those around it, as each may have a limit; a container may see its own as the outermost. */
function ancestors(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))];
}

/** The number after a name; NaN if there is none. */
function field(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? NaN : parseInt(line.slice(name.length), 10);
}

const KEPT_MS = 30_000;

/**
 * Returns a function that tells whether the machine is plugged in, querying the system every 30 seconds at most. Linux
 * has a folder for each supply; `print` returns the output of a program.
 */
export function powerSource({
  platform = process.platform,
  suppliesFolder = '/sys/class/power_supply',
  print = printed,
} = {}): () => Promise<boolean> {
  let asked = -Infinity;
  let answer = Promise.resolve(true);
  return () => {
    if (performance.now() - asked >= KEPT_MS) {
      asked = performance.now();
      answer = isPluggedIn().catch(() => true);
    }
    return answer;
  };
  async function isPluggedIn(): Promise<boolean> {
    if (platform === 'linux') return pluggedInByLinux(suppliesFolder);
    if (platform !== 'darwin') return true;
    const [, source = 'AC Power'] = /drawing from '([^']+)'/.exec(await print('pmset', ['-g', 'batt'])) ?? [];
    return source === 'AC Power';
  }
}

/** An external supply decides; without one, whether the machine's own battery is discharging. */
async function pluggedInByLinux(suppliesFolder: string): Promise<boolean> {
  const supplies = (await readdir(suppliesFolder)).map(async (name) => {
    // Each of the files may be missing.
    const files = ['type', 'online', 'status', 'scope'].map(async (file) =>
      (await readFile(join(suppliesFolder, name, file), 'utf8').catch(() => undefined))?.trim(),
    );
    const [type, online, status, scope] = await Promise.all(files);
    return { type, online, status, scope };
  });
  const all = await Promise.all(supplies);
  // A scope of `Device` means the battery of a mouse or the like.
  const batteries = all.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  const external = all.filter(({ type, online }) => type !== 'Battery' && online !== undefined);
  if (batteries.length === 0 || external.some(({ online }) => online !== '0')) return true;
  return external.length === 0 && batteries.every(({ status }) => status !== 'Discharging');
}

async function printed(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { timeout: PATIENCE_MS })).stdout;
}
