// Verifies a downloaded model: compares the checksums of its files with the names of their blobs.
import { lstatSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { blobChecksum } from './blobChecksum';
import type { DownloadedModel } from './downloadedModels';
import { CHECKSUM, RepositoryCache, sizeOf } from './repositoryCache';

export interface VerifiedFile {
  readonly name: string;
  readonly size: number;
  /** Result of the check. unknown: the file is neither a link to a blob nor a copy of one. */
  readonly state: 'right' | 'damaged' | 'unknown';
}

/**
 * Checks files against the names of their blobs, and yields each result. Removes damaged files, so that the next
 * download fetches them again. `cache` is the folder of all repositories. Throws the signal's reason when it aborts.
 */
export async function* verifyModel(
  cache: string,
  { name: repository, directory, files }: DownloadedModel,
  signal: AbortSignal,
): AsyncGenerator<VerifiedFile, void, undefined> {
  const cached = new RepositoryCache(cache, repository);
  for (const { name, size } of files) {
    signal.throwIfAborted();
    yield { name, size, state: await stateOf(cached, join(directory, name), size, signal) };
  }
}

async function stateOf(
  cached: RepositoryCache,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<VerifiedFile['state']> {
  /** Returns whether there is a blob of this size and checksum: 64 `digits` for SHA-256, 40 for the SHA-1 of git. */
  const isCopyOfBlob = async (digits: 40 | 64): Promise<boolean> =>
    sizeOf(cached.blob(await blobChecksum(path, digits, signal))) === size;
  // A copy has no link that names its blob, so search for one with the same checksum.
  if (!lstatSync(path).isSymbolicLink())
    return (await isCopyOfBlob(64)) || (await isCopyOfBlob(40)) ? 'right' : 'unknown';
  // The blob is gone: another file that links to it was damaged, and the blob removed.
  if (sizeOf(path) < 0) return 'damaged';
  const blob = realpathSync(path);
  const checksum = basename(blob);
  if (!CHECKSUM.test(checksum)) return 'unknown';
  if ((await blobChecksum(blob, checksum.length, signal)) === checksum) return 'right';
  for (const damaged of [path, blob]) rmSync(damaged);
  return 'damaged';
}
