// The resources of this machine for models: its processor, its memory and its disk.
import { existsSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';

/** gpu: the GPU of a Mac with Apple silicon. */
export type Processor = 'cpu' | 'gpu';

/** Share of memory for models; the rest is for the system and the editor. */
const USABLE_SHARE = 0.75;
/** Macs with less memory than SMALL_MAC_BYTES let the GPU use only this share of it. */
const SMALL_MAC_BYTES = 36e9;
const SMALL_MAC_SHARE = 2 / 3;

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
