// Finds the models in the cache, complete or unfinished, from whichever tool: the files that each needs and has.
import { join } from 'node:path';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { TOOL_TEMPLATE, WEIGHT_INDEX } from '../models/checkpoint/modelFiles';
import { CONFIG, modelFiles, neededFiles, readFields } from '../models/checkpoint/modelFiles';
import { sizesOfConfig, type ModelSizes } from '../models/checkpoint/modelSizes';
import { InputError } from '../rules/inputError';
import { namesIn, repositoriesIn, RepositoryCache, sizeOf } from './repositoryCache';

export interface DownloadedModel {
  readonly name: string;
  readonly commit: string;
  /** The snapshot, as a model directory. */
  readonly directory: string;
  /** Files that loading reads; the directory can contain others. */
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
