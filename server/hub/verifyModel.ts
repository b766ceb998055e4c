// Whether the files of a downloaded model are what they are called: their bytes against the names of their blobs.
// Needs no network. What is damaged is removed, so that the next download gets it again.
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checksumLike, hashFile } from './checksum';
import type { DownloadedModel } from './downloadedModel';
import { RepositoryCache, sizeOf } from './repositoryCache';

export interface VerifiedFile {
  readonly name: string;
  readonly size: number;
  /** unknown: it is no link to a blob and no copy of one. */
  readonly state: 'right' | 'damaged' | 'unknown';
}

export interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly onFile?: (file: VerifiedFile) => void;
}

const CHECKSUM = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** `cache` is the folder of all repositories. Rejects with the reason of the signal when it aborts. */
export async function verifyModel(
  cache: string,
  { name: repository, directory, files }: DownloadedModel,
  { signal, onFile }: VerifyOptions,
): Promise<VerifiedFile[]> {
  const own = new RepositoryCache(cache, repository);
  const verified: VerifiedFile[] = [];
  for (const { name, size } of files) {
    const path = join(directory, name);
    const state = lstatSync(path).isSymbolicLink()
      ? await linkState(path, size, signal)
      : await copyState(own, path, size, signal);
    signal.throwIfAborted();
    const file = { name, size, state };
    verified.push(file);
    onFile?.(file);
  }
  return verified;
}

async function linkState(path: string, size: number, signal: AbortSignal): Promise<VerifiedFile['state']> {
  // Another file of the same bytes was damaged.
  if (sizeOf(path) < 0) return 'damaged';
  const blob = realpathSync(path);
  const checksum = basename(blob);
  if (!CHECKSUM.test(checksum)) return 'unknown';
  const hash = checksumLike(checksum, size);
  await hashFile(hash, blob, size, signal);
  if (hash.digest('hex') === checksum) return 'right';
  for (const damaged of [path, blob]) rmSync(damaged);
  return 'damaged';
}

/** A copy does not say of what; a blob of either kind of name with these bytes does. */
async function copyState(
  own: RepositoryCache,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<VerifiedFile['state']> {
  const kinds = [createHash('sha256'), checksumLike('', size)];
  for (const hash of kinds) await hashFile(hash, path, size, signal);
  const isThere = kinds.some((hash) => sizeOf(own.blob(hash.digest('hex'))) === size);
  return isThere ? 'right' : 'unknown';
}
