// How much of a repository is in the cache, whole or not. Asks the file system and nobody else.
import { downloadedModel } from './downloadedModel';
import { namesIn, repositoriesIn, RepositoryCache, sizeOf } from './repositoryCache';

/** Configs and indices are smaller. */
const FIRST_BYTES = 8e6;

/** Of what is downloaded its size; of what is not, the bytes that a download would not fetch again. */
export function arrivedBytes(cache: string, name: string): number {
  const found = downloadedModel(cache, name);
  if (found !== undefined) return found.bytes;
  const own = new RepositoryCache(cache, name);
  // What other tools have not finished is of no use here.
  const useless = namesIn(own.blobs).filter((blob) => blob.endsWith('.incomplete'));
  const skipped = new Set(useless.filter((blob) => !own.partials().includes(blob)));
  const blobs = namesIn(own.blobs).filter((blob) => !skipped.has(blob));
  return blobs.reduce((sum, blob) => sum + Math.max(0, sizeOf(own.blob(blob))), 0);
}

/** Whether a download was begun and not finished; files that are read before it do not count. */
export function isBegun(cache: string, name: string): boolean {
  if (downloadedModel(cache, name) !== undefined) return false;
  return new RepositoryCache(cache, name).partials().length > 0 || arrivedBytes(cache, name) > FIRST_BYTES;
}

/** Names of the repositories of which a download was begun. */
export function unfinishedModels(cache: string): string[] {
  return repositoriesIn(cache).filter(
    (name) => new RepositoryCache(cache, name).partials().length > 0 && isBegun(cache, name),
  );
}
