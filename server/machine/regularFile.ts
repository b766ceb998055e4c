// Opens and reads files that a person, a repository or another program names: regular files only, up to a size. Anything
// else could block the process (a pipe), never end (a device) or fill the memory.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { formatSize } from '../rules/numbers';

export interface OpenedFile {
  /** To be closed by the caller. */
  readonly descriptor: number;
  readonly size: number;
}

/** Throws an Error whose message is what is there instead, such as "a pipe", or the error of the system. */
export function openRegularFile(file: string): OpenedFile {
  // First, as opening some devices has effects.
  requireRegular(statSync(file));
  // Should a pipe have replaced the file by now, opening it does not wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    requireRegular(stats);
    return { descriptor, size: stats.size };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Throws as `openRegularFile` does, also for a file of more than `mostBytes`. */
export function readRegularFile(file: string, mostBytes: number): Buffer {
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size > mostBytes)
      throw new Error(`a file of ${formatSize(size)}, more than the ${formatSize(mostBytes)} that are read`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the first `count` bytes of a file, or all if it has fewer. */
export function readStart(file: string, count: number): Buffer {
  const { descriptor } = openRegularFile(file);
  try {
    const start = Buffer.alloc(count);
    return start.subarray(0, readSync(descriptor, start, 0, count, 0));
  } finally {
    closeSync(descriptor);
  }
}

function requireRegular(stats: Stats): void {
  if (!stats.isFile()) throw new Error(kindOf(stats));
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
