// Takes a model out of the cache: its snapshot, and of the blobs those that no other snapshot needs.
// Leaves what other revisions of the repository use.
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { downloadedModel } from './downloadedModel';
import { namesIn, RepositoryCache, sizeOf } from './repositoryCache';

export interface Removal {
  readonly bytes: number;
  /** Revisions of the repository that are still there. */
  readonly revisionsLeft: number;
}

/** Also of what is unfinished. Undefined when nothing of it is there. */
export function removeModel(cache: string, name: string): Removal | undefined {
  const own = new RepositoryCache(cache, name);
  const commit = downloadedModel(cache, name)?.commit ?? own.commits()[0];
  const unfinished = own.partials();
  if (commit === undefined && unfinished.length === 0) return undefined;
  const left = own.commits().filter((each) => each !== commit);
  const needed = new Set(left.flatMap((each) => filesOf(own.snapshot(each)).map(blobOf)));
  const blobs = commit === undefined || needed.has(undefined) ? [] : namesIn(own.blobs).filter(isDone);
  const removed = new Set([...blobs.filter((blob) => !needed.has(blob)), ...unfinished]);
  const bytes = [...removed].reduce((sum, blob) => sum + Math.max(0, sizeOf(own.blob(blob))), 0);
  // The config goes first: from then on it is no model.
  if (commit !== undefined) {
    rmSync(join(own.snapshot(commit), 'config.json'), { force: true });
    rmSync(own.snapshot(commit), { recursive: true, force: true });
    for (const ref of namesIn(join(own.folder, 'refs')))
      if (own.commitOf(ref) === commit) rmSync(own.ref(ref), { force: true });
  }
  for (const blob of removed) rmSync(own.blob(blob), { force: true });
  if (left.length === 0)
    for (const folder of [own.folder, own.locks]) rmSync(folder, { recursive: true, force: true });
  return { bytes, revisionsLeft: left.length };
}

/** Another tool may be at work on what is unfinished. */
function isDone(blob: string): boolean {
  return !blob.endsWith('.incomplete');
}

/** Of a snapshot, in folders too. */
function filesOf(snapshot: string): string[] {
  const entries = readdirSync(snapshot, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Undefined for a copy, which does not tell of what. */
function blobOf(path: string): string | undefined {
  return lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : undefined;
}
