// Opens and reads files whose paths come from a user, a repository or another program: only regular files, up to a
// size. Other files could block the process (a pipe), never end (a device) or exhaust memory.
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
import { formatSize } from '../rules/formatNumber';

export interface OpenedFile {
  /** The caller must close it. */
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
}

/** Opens a file. Throws the system's error; if it is not a regular file, an error that names its kind: "a pipe". */
export function openRegularFile(file: string): OpenedFile {
  // Checked before opening: opening some devices has side effects.
  requireRegular(statSync(file));
  // Non-blocking: a pipe can have replaced the file, and opening one would wait for a writer.
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

/** Reads a file. Throws like `openRegularFile`, and for a file of more than `maxBytes`. */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  const { descriptor, size } = openRegularFile(file);
  try {
    if (size > maxBytes)
      throw new Error(`a file of ${formatSize(size)}, more than the limit of ${formatSize(maxBytes)}`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the first `count` bytes of a file, or all if it has fewer. Throws like `openRegularFile`. */
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
