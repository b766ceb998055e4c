// Snapshots, which are model directories of links to blobs: created, checked byte by byte, and removed. Does not know
// where the blobs come from, and needs no network.
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { replaceBy, replaceFile } from '../machine/replaceFile';
import { CONFIG } from '../models/checkpoint/modelFiles';
import { downloadedModel, type DownloadedModel } from './downloadedModel';
import { knownPairs, variantsOf } from './knownPairs';
import { blobName, CHECKSUM, namesIn, RepositoryCache, sizeOf, type RepositoryFile } from './repositoryCache';

export interface VerifiedFile {
  readonly name: string;
  readonly size: number;
  /** unknown: neither a link to a blob nor a copy of one. */
  readonly state: 'right' | 'damaged' | 'unknown';
}

export interface Removal {
  readonly bytes: number;
  /** Revisions of the repository that are still there. */
  readonly revisionsLeft: number;
}

/** Called once all blobs are there. The config is written last, as a directory without one is not a model. */
export function writeSnapshot(
  cache: RepositoryCache,
  commit: string,
  files: readonly RepositoryFile[],
): string {
  const directory = cache.snapshot(commit);
  const isLast = ({ name }: RepositoryFile): number => Number(name === CONFIG);
  for (const { name, checksum, size } of [...files].sort((a, b) => isLast(a) - isLast(b))) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    if (sizeOf(path) !== size) replaceBy(path, (unfinished) => linkOrCopy(cache.blob(checksum), unfinished));
  }
  mkdirSync(dirname(cache.ref('main')), { recursive: true });
  replaceFile(cache.ref('main'), commit);
  return directory;
}

/** Some file systems do not support links. */
function linkOrCopy(blob: string, path: string): void {
  try {
    symlinkSync(relative(dirname(path), blob), path);
  } catch {
    copyFileSync(blob, path);
  }
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
    sizeOf(own.blob(await blobName(path, digits, signal))) === size;
  // A copy does not name its blob.
  if (!lstatSync(path).isSymbolicLink())
    return (await isBlob(64)) || (await isBlob(40)) ? 'right' : 'unknown';
  // A file with the same blob was damaged, and the blob removed.
  if (sizeOf(path) < 0) return 'damaged';
  const blob = realpathSync(path);
  const checksum = basename(blob);
  if (!CHECKSUM.test(checksum)) return 'unknown';
  if ((await blobName(blob, checksum.length, signal)) === checksum) return 'right';
  for (const damaged of [path, blob]) rmSync(damaged);
  return 'damaged';
}

/**
 * The repositories that no other downloaded model needs: a drafter stays as long as one of its targets does, and the
 * target of a pair as long as another of its drafters does.
 */
export function removable(repositories: readonly string[], cache: string): string[] {
  const stays = (name: string): boolean =>
    !repositories.includes(name) && downloadedModel(cache, name) !== undefined;
  const names = new Set(repositories);
  const variants = knownPairs.flatMap(variantsOf);
  const pairs = variants.filter((each) => each.repositories.every((name) => repositories.includes(name)));
  for (const { target, drafter, knownDrafter } of variants) {
    if (knownDrafter === undefined) continue;
    if (stays(target)) names.delete(drafter);
    if (stays(drafter) && pairs.some((pair) => pair.target === target)) names.delete(target);
  }
  return [...names];
}

/**
 * Removes a model from the cache: its snapshot, the blobs that no other revision needs, and unfinished files. Undefined
 * if none of it is there.
 */
export function removeModel(cache: string, name: string): Removal | undefined {
  const own = new RepositoryCache(cache, name);
  const commit = downloadedModel(cache, name)?.commit ?? own.commits()[0];
  const unfinished = own.partials();
  if (commit === undefined && unfinished.length === 0) return undefined;
  const left = own.commits().filter((each) => each !== commit);
  const needed = new Set(left.flatMap((each) => blobsOf(own.snapshot(each))));
  const blobs = commit === undefined || needed.has(undefined) ? [] : own.wholeBlobs();
  const removed = [...blobs.filter((blob) => !needed.has(blob)), ...unfinished];
  const bytes = own.bytesOf(removed);
  // The config goes first: without it, the folder is not a model.
  if (commit !== undefined) {
    rmSync(join(own.snapshot(commit), CONFIG), { force: true });
    rmSync(own.snapshot(commit), { recursive: true, force: true });
    for (const ref of namesIn(join(own.folder, 'refs')))
      if (own.commitOf(ref) === commit) rmSync(own.ref(ref), { force: true });
  }
  for (const blob of removed) rmSync(own.blob(blob), { force: true });
  if (left.length === 0)
    for (const folder of [own.folder, own.locks]) rmSync(folder, { recursive: true, force: true });
  return { bytes, revisionsLeft: left.length };
}

/** Names of the blobs that a snapshot links to, also in its folders; undefined for a copy, which does not name its own. */
function blobsOf(snapshot: string): (string | undefined)[] {
  const entries = readdirSync(snapshot, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      entry.isSymbolicLink() ? basename(readlinkSync(join(entry.parentPath, entry.name))) : undefined,
    );
}
