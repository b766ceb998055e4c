// What of this machine decides which models it can run.
import { existsSync, statfsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { memoryBandwidth } from './memoryBandwidth';

export interface Machine {
  readonly memoryBytes: number;
  /** Where downloads go. */
  readonly freeDiskBytes: number;
  readonly processor: 'cpu' | 'gpu';
  /** What decoding reads of the memory, estimated. */
  readonly bytesPerSecond: number;
}

/** Of the memory; the rest is for the system and the editor. On a Mac a GPU may have no more than that. */
const USABLE_SHARE = 0.75;

export function thisMachine(cache: string): Machine {
  const metal = process.platform === 'darwin' && process.arch === 'arm64';
  const processor = metal ? 'gpu' : 'cpu';
  return {
    memoryBytes: totalmem(),
    freeDiskBytes: freeDiskBytes(cache),
    processor,
    bytesPerSecond: memoryBandwidth(processor, cpus()[0]?.model ?? ''),
  };
}

export function usableMemory({ memoryBytes }: Machine): number {
  return memoryBytes * USABLE_SHARE;
}

/** The folder need not be there yet. */
function freeDiskBytes(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeDiskBytes(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
