// Reads the text files of a model. They come from strangers, so it reads only regular files, and none that would fill
// the memory.
import { lstatSync } from 'node:fs';
import { readRegularFile, readStart } from '../../machine/regularFile';

/** Maximum bytes of a config or a chat template; published ones take at most a quarter of that. */
export const MAX_CONFIG_BYTES = 8e6;
/** Maximum bytes of a large JSON file: a tokenizer or a weight index. */
const MAX_LARGE_JSON_BYTES = 64e6;

/** Reads a config or a chat template. Throws like `readRegularFile`. */
export function readModelText(file: string): string {
  // For large files twice as fast as readFileSync with an encoding; also removes a byte order mark.
  return new TextDecoder().decode(readRegularFile(file, MAX_CONFIG_BYTES));
}

/**
 * Reads the bytes of a tokenizer or a weight index, and throws like `readRegularFile`. With `maxBytes`, reads only the
 * first ones of a file of any size, and throws like `openRegularFile`.
 */
export function readLargeJson(file: string, maxBytes = Infinity): Buffer {
  return maxBytes < Infinity ? readStart(file, maxBytes) : readRegularFile(file, MAX_LARGE_JSON_BYTES);
}

/**
 * Returns whether a folder lists the file. A broken link counts: the model needs that file, so reading it must fail.
 */
export function isListed(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
