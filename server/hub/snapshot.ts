// Puts blobs together to a model directory: links in a snapshot, and then the branch that leads to it.
// Knows not where the blobs come from.
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CONFIG } from './neededFiles';
import type { Repository, RepositoryFile } from './repository';
import { sizeOf, type RepositoryCache } from './repositoryCache';

/** All blobs are there. The config comes last, as a directory without one is no model. */
export function writeSnapshot(
  cache: RepositoryCache,
  { commit }: Repository,
  files: readonly RepositoryFile[],
  link: (blob: string, path: string) => void = linkOrCopy,
): string {
  const directory = cache.snapshot(commit);
  const isLast = ({ name }: RepositoryFile): number => Number(name === CONFIG);
  mkdirSync(directory, { recursive: true });
  for (const { name, checksum, size } of [...files].sort((a, b) => isLast(a) - isLast(b))) {
    const path = join(directory, name);
    if (sizeOf(path) !== size) replace(path, (unfinished) => link(cache.blob(checksum), unfinished));
  }
  mkdirSync(dirname(cache.ref('main')), { recursive: true });
  replace(cache.ref('main'), (unfinished) => writeFileSync(unfinished, commit));
  return directory;
}

function replace(path: string, write: (unfinished: string) => void): void {
  const unfinished = `${path}.${String(process.pid)}.incomplete`;
  rmSync(unfinished, { force: true });
  try {
    write(unfinished);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Some file systems know no links of the first kind, some none at all. */
function linkOrCopy(blob: string, path: string): void {
  const kinds = [
    () => symlinkSync(relative(dirname(path), blob), path),
    () => linkSync(blob, path),
    () => copyFileSync(blob, path),
  ];
  for (const [i, make] of kinds.entries()) {
    try {
      return make();
    } catch (error) {
      if (i === kinds.length - 1) throw error;
    }
  }
}
