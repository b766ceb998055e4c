// Computes the checksum that names a blob.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { sizeOf } from './repositoryCache';

/**
 * Returns the blob name of a file: with 64 digits, the SHA-256 of its bytes; with 40, as for small files, the SHA-1
 * that git computes for it. Rejects with the signal's reason when it aborts.
 */
export async function blobChecksum(file: string, digits: number, signal: AbortSignal): Promise<string> {
  const hash =
    digits === 64 ? createHash('sha256') : createHash('sha1').update(`blob ${String(sizeOf(file))}\0`);
  const stream = createReadStream(file, { highWaterMark: 1 << 20, signal });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
  } catch (error) {
    // An aborted stream throws an AbortError instead of the reason.
    signal.throwIfAborted();
    throw error;
  }
  return hash.digest('hex');
}
