// Writes a snapshot: a model directory of links to blobs that is either complete or no model at all.
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { replaceBy, replaceFile } from '../machine/replaceFile';
import { CONFIG } from '../models/checkpoint/modelFiles';
import { sizeOf, type RepositoryCache, type RepositoryFile } from './repositoryCache';

/**
 * Writes a snapshot of downloaded blobs, points the main branch at it, and returns its directory. The config is
 * written last, as a directory without one is not a model.
 */
export function writeSnapshot(
  cache: RepositoryCache,
  commit: string,
  files: readonly RepositoryFile[],
): string {
  const directory = cache.snapshot(commit);
  const rank = ({ name }: RepositoryFile): number => Number(name === CONFIG);
  for (const { name, checksum, size } of [...files].sort((a, b) => rank(a) - rank(b))) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    if (sizeOf(path) !== size) replaceBy(path, (unfinished) => linkOrCopy(cache.blob(checksum), unfinished));
  }
  mkdirSync(dirname(cache.ref('main')), { recursive: true });
  replaceFile(cache.ref('main'), commit);
  return directory;
}

/** Links to a blob, or copies it on file systems without links. */
function linkOrCopy(blob: string, path: string): void {
  try {
    symlinkSync(relative(dirname(path), blob), path);
  } catch {
    copyFileSync(blob, path);
  }
}
