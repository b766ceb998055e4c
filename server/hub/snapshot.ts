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
import { replaceBy, replaceFile } from '../machine/folders';
import { CONFIG, modelFiles, neededFiles, readFields } from '../models/checkpoint/modelFiles';
import { knownPairs, variantsOf } from './knownPairs';
import {
  blobName,
  CHECKSUM,
  namesIn,
  RepositoryCache,
  sizeOf,
  type RepositoryFile,
  repositoriesIn,
} from './repositoryCache';
import { InputError } from '../rules/inputError';
import { type ConfigFields, TOOL_TEMPLATE, WEIGHT_INDEX } from '../models/checkpoint/configFields';
import { sizesOfConfig, type ModelSizes } from '../models/checkpoint/modelSizes';

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

// The models in the cache, complete or unfinished, whichever tool downloaded them: which files one needs and has.

export interface DownloadedModel {
  readonly name: string;
  readonly commit: string;
  /** The snapshot, as a model directory. */
  readonly directory: string;
  /** Those that are read; there may be others next to them. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
  readonly bytes: number;
}

/** Configs and indices, which are fetched first, are smaller. */
const FIRST_BYTES = 8e6;

/** Undefined unless all files that a model needs are there. */
export function downloadedModel(cache: string, name: string): DownloadedModel | undefined {
  const own = new RepositoryCache(cache, name);
  for (const commit of own.commits()) {
    const directory = own.snapshot(commit);
    const { files } = snapshotFiles(directory);
    if (files === undefined) continue;
    return { name, commit, directory, files, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  }
  return undefined;
}

/** All that load, known pairs or not. */
export function downloadedModels(cache: string): DownloadedModel[] {
  return repositoriesIn(cache).flatMap((name) => downloadedModel(cache, name) ?? []);
}

/** Throws an InputError that says how to download it, unless it is there. */
export function requireDownloaded(cache: string, name: string): DownloadedModel {
  const found = downloadedModel(cache, name);
  if (found !== undefined) return found;
  const own = new RepositoryCache(cache, name);
  const [absent] = own.commits().map((commit) => snapshotFiles(own.snapshot(commit)).absent);
  throw notDownloaded(name, cache, name, absent === undefined ? '' : ` (${absent} is missing)`);
}

/** `pulled` is what the command that downloads it names. */
export function notDownloaded(what: string, cache: string, pulled: string, why = ''): InputError {
  return new InputError({
    expected: `${what} in ${cache}`,
    got: `no complete download${why}`,
    remedy: 'download it',
    command: `flashline models pull ${pulled}`,
  });
}

/** Whether a download of a model was begun or is done, and the bytes that it would not fetch again. */
export function arrivedOf(cache: string, name: string): { isBegun: boolean; bytes: number } {
  const model = downloadedModel(cache, name);
  if (model !== undefined) return { isBegun: true, bytes: model.bytes };
  const own = new RepositoryCache(cache, name);
  const partials = own.partials();
  const bytes = own.bytesOf([...own.wholeBlobs(), ...partials]);
  // Files that are read before a download do not begin one.
  return { isBegun: partials.length > 0 || bytes > FIRST_BYTES, bytes };
}

/** Names of the repositories of which a download was begun here. */
export function unfinishedModels(cache: string): string[] {
  const isBegun = (name: string): boolean => new RepositoryCache(cache, name).partials().length > 0;
  return repositoriesIn(cache).filter((name) => isBegun(name) && downloadedModel(cache, name) === undefined);
}

function snapshotFiles(directory: string) {
  // A link to a missing blob has no size.
  const there = [...namesIn(directory), TOOL_TEMPLATE]
    .map((name) => ({ name, size: sizeOf(join(directory, name)) }))
    .filter(({ size }) => size >= 0);
  const index = there.some(({ name }) => name === WEIGHT_INDEX) ? join(directory, WEIGHT_INDEX) : undefined;
  return modelFiles(there, index, neededFiles(readFields(join(directory, CONFIG))));
}

/** A config, and the sizes that follow from it and the files next to it. */
export interface SizedConfig {
  readonly config: ConfigFields;
  /** Undefined if the config does not say enough. */
  readonly sizes: ModelSizes | undefined;
}

/** The config has no fields if it cannot be read. */
export function readModelSizes(directory: string): SizedConfig {
  const files = namesIn(directory).map((name) => ({ name, size: sizeOf(join(directory, name)) }));
  const config = readFields(join(directory, CONFIG));
  return { config, sizes: sizesOfConfig(config, files) };
}
