// Returns the resources of this machine for models: memory, disk, estimated memory bandwidth, and the peak memory of
// this process. Checks whether models fit.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { formatSize } from '../rules/formatNumber';
import { type UserError, WrongValue } from '../rules/userError';

/** gpu: the GPU of a Mac with Apple silicon. */
type Processor = 'cpu' | 'gpu';

/** Share of memory for models; the rest is for the system and the editor. */
const USABLE_SHARE = 0.75;
/** Macs with less memory than SMALL_MAC_BYTES let the GPU use only this share of it. */
const SMALL_MAC_BYTES = 36e9;
const SMALL_MAC_SHARE = 2 / 3;

/** Bytes of disk that stay free for other programs during a download. */
const DISK_MARGIN = 256 * 2 ** 20;

type Tier = '' | ' Pro' | ' Max' | ' Ultra';

/** Memory bandwidth in Apple's specifications, GB/s; the smallest if a chip comes with several. */
const APPLE_BANDWIDTHS: Readonly<Record<string, Readonly<Partial<Record<Tier, number>>>>> = {
  M1: { '': 68, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M2: { '': 100, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M3: { '': 100, ' Pro': 150, ' Max': 300, ' Ultra': 819 },
  M4: { '': 120, ' Pro': 273, ' Max': 410 },
  M5: { '': 153, ' Pro': 307, ' Max': 460 },
};
/** Share of the specified bandwidth that the matrix products of a decode step reach. */
const REACHED_SHARE = 0.7;
/** Bandwidth measured on two cores of an x64 server; most machines read faster. */
const CPU_BYTES_PER_SECOND = 8e9;

type ThisMachine = ReturnType<typeof thisMachine>;

/** Describes this machine; `cache` is the folder for downloads, which need not exist yet. */
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

/** Returns the memory available to this process, in bytes: in a container often less than that of the machine. */
export function totalMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** Returns the part of the memory that models can use, in bytes. */
export function usableBytes(memoryBytes: number, processor: Processor): number {
  const isSmallMac = processor === 'gpu' && memoryBytes < SMALL_MAC_BYTES;
  return memoryBytes * (isSmallMac ? SMALL_MAC_SHARE : USABLE_SHARE);
}

/** Returns the free bytes on the disk of a folder, which need not exist yet. */
function freeDiskBytes(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeDiskBytes(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Returns an error if `missingBytes` do not fit on the disk of `folder`. */
export function diskProblem(
  missingBytes: number,
  { freeDiskBytes }: ThisMachine,
  folder: string,
): UserError | undefined {
  if (missingBytes === 0 || missingBytes + DISK_MARGIN <= freeDiskBytes) return undefined;
  return new WrongValue({
    expected: `${formatSize(missingBytes)} free in ${folder}`,
    got: formatSize(freeDiskBytes),
    remedy: 'free some space or use another folder (HF_HUB_CACHE)',
  });
}

/** Returns an error if `bytes` for the model `name` do not fit into memory. */
export function memoryProblem(
  bytes: number | undefined,
  name: string,
  { memoryBytes, usableBytes, processor }: ThisMachine,
): UserError | undefined {
  if (bytes === undefined || bytes <= usableBytes) return undefined;
  return new WrongValue({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${processor}`,
    got: `${formatSize(usableBytes)} usable of ${formatSize(memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** Returns the bytes that decoding reads per second. `model` is the system's name for its processor. */
export function memoryBandwidth(processor: Processor, model = cpus()[0]?.model ?? ''): number {
  if (processor === 'cpu') return CPU_BYTES_PER_SECOND;
  const [, chip = '', tier = ''] = /^Apple (M\d+)( Pro| Max| Ultra)?/.exec(model) ?? [];
  const bandwidth = APPLE_BANDWIDTHS[chip]?.[tier as Tier];
  // A chip missing in the table is newer, and at least as fast as the slowest M5.
  const stated = bandwidth ?? APPLE_BANDWIDTHS['M5']?.[''] ?? 0;
  return 1e9 * stated * REACHED_SHARE;
}

/**
 * Returns the peak memory of this process, in bytes. Does not use getrusage on Linux, where a child inherits the peak
 * of its parent.
 */
export function peakResidentBytes(): number {
  const status = '/proc/self/status';
  const line = existsSync(status) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8')) : null;
  return 1024 * (line ? Number(line[1]) : process.resourceUsage().maxRSS);
}
