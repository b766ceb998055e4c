// Removes a downloaded model, except the parts that another revision or another pair needs.
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CONFIG } from '../models/checkpoint/modelFiles';
import { downloadedModel } from './downloadedModels';
import { knownPairs, variantsOf } from './knownPairs';
import { namesIn, RepositoryCache } from './repositoryCache';

export interface Removal {
  readonly bytes: number;
  /** Number of revisions of the repository left in the cache. */
  readonly revisionsLeft: number;
}

/**
 * Returns the repositories to remove: those that no downloaded model outside the list needs. A drafter stays as long as
 * one of its targets does, and the target of a pair as long as another of its drafters does.
 */
export function removable(repositories: readonly string[], cache: string): string[] {
  const stays = (name: string): boolean =>
    !repositories.includes(name) && downloadedModel(cache, name) !== undefined;
  const names = new Set(repositories);
  const variants = knownPairs.flatMap(variantsOf);
  const pairs = variants.filter((variant) =>
    variant.repositories.every((name) => repositories.includes(name)),
  );
  for (const { target, drafter, knownDrafter } of variants) {
    if (knownDrafter === undefined) continue;
    if (stays(target)) names.delete(drafter);
    if (stays(drafter) && pairs.some((pair) => pair.target === target)) names.delete(target);
  }
  return [...names];
}

/**
 * Removes a model from the cache: its snapshot, the blobs that no other revision needs, and unfinished files. Returns
 * undefined if the cache has neither a snapshot nor unfinished files of it.
 */
export function removeModel(cache: string, name: string): Removal | undefined {
  const repository = new RepositoryCache(cache, name);
  const commit = downloadedModel(cache, name)?.commit ?? repository.commits()[0];
  const unfinished = repository.partials();
  if (commit === undefined && unfinished.length === 0) return undefined;
  const left = repository.commits().filter((revision) => revision !== commit);
  const needed = new Set(left.flatMap((revision) => blobsOf(repository.snapshot(revision))));
  // With a copy in place of a link, another revision can need any blob, so all stay.
  const blobs = needed.has(undefined) ? [] : repository.finishedBlobs();
  const removed = [...blobs.filter((blob) => !needed.has(blob)), ...unfinished];
  const bytes = repository.bytesOf(removed);
  // Remove the config first: without it, the folder is not a model.
  if (commit !== undefined) {
    rmSync(join(repository.snapshot(commit), CONFIG), { force: true });
    rmSync(repository.snapshot(commit), { recursive: true, force: true });
    for (const ref of namesIn(join(repository.folder, 'refs')))
      if (repository.commitOf(ref) === commit) rmSync(repository.ref(ref), { force: true });
  }
  for (const blob of removed) rmSync(repository.blob(blob), { force: true });
  if (left.length === 0)
    for (const folder of [repository.folder, repository.locks])
      rmSync(folder, { recursive: true, force: true });
  return { bytes, revisionsLeft: left.length };
}

/** Returns the blobs that a snapshot and its folders link to, and undefined for each copy, whose blob is unknown. */
function blobsOf(snapshot: string): (string | undefined)[] {
  const entries = readdirSync(snapshot, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      entry.isSymbolicLink() ? basename(readlinkSync(join(entry.parentPath, entry.name))) : undefined,
    );
}
