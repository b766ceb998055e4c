// What a blob is called after: SHA-256 of its bytes, or for small files SHA-1 as git computes it.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const SHA256_DIGITS = 64;

/** To be fed with the bytes of a file of `size`. */
export function checksumLike(checksum: string, size: number): Hash {
  if (checksum.length === SHA256_DIGITS) return createHash('sha256');
  return createHash('sha1').update(`blob ${String(size)}\0`);
}

/** Feeds a hash with the first bytes of a file, up to `end`. */
export async function hashFile(hash: Hash, file: string, end: number, signal?: AbortSignal): Promise<void> {
  if (end === 0) return;
  const options = { end: end - 1, highWaterMark: 1 << 20, ...(signal === undefined ? {} : { signal }) };
  for await (const chunk of createReadStream(file, options) as AsyncIterable<Buffer>) hash.update(chunk);
}
