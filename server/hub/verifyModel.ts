// Verifies a downloaded model: compares the bytes of its files with the checksums that name their blobs.
import { lstatSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { blobChecksum } from './blobChecksum';
import type { DownloadedModel } from './downloadedModels';
import { CHECKSUM, RepositoryCache, sizeOf } from './repositoryCache';

export interface VerifiedFile {
  readonly name: string;
  readonly size: number;
  /** unknown: neither a link to a blob nor a copy of one. */
  readonly state: 'right' | 'damaged' | 'unknown';
}

/**
 * Checks the bytes of files against the names of their blobs. Damaged ones are removed, so that the next download
 * fetches them again. `cache` is the folder of all repositories. Rejects with the signal's reason when it aborts.
 */
export async function verifyModel(
  cache: string,
  { name: repository, directory, files }: DownloadedModel,
  signal: AbortSignal,
): Promise<VerifiedFile[]> {
  const own = new RepositoryCache(cache, repository);
  const verified: VerifiedFile[] = [];
  for (const { name, size } of files) {
    const state = await stateOf(own, join(directory, name), size, signal);
    signal.throwIfAborted();
    verified.push({ name, size, state });
  }
  return verified;
}

async function stateOf(
  own: RepositoryCache,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<VerifiedFile['state']> {
  const isBlob = async (digits: number): Promise<boolean> =>
    sizeOf(own.blob(await blobChecksum(path, digits, signal))) === size;
  // A copy does not name its blob.
  if (!lstatSync(path).isSymbolicLink())
    return (await isBlob(64)) || (await isBlob(40)) ? 'right' : 'unknown';
  // A file with the same blob was damaged, and the blob removed.
  if (sizeOf(path) < 0) return 'damaged';
  const blob = realpathSync(path);
  const checksum = basename(blob);
  if (!CHECKSUM.test(checksum)) return 'unknown';
  if ((await blobChecksum(blob, checksum.length, signal)) === checksum) return 'right';
  for (const damaged of [path, blob]) rmSync(damaged);
  return 'damaged';
}
