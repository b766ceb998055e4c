// Finds complete and unfinished models in the cache, downloaded by any tool, with the files that each needs and has.
import { join } from 'node:path';
import type { ConfigFields } from '../models/checkpoint/configFields';
import {
  CONFIG,
  modelFiles,
  neededFiles,
  readFields,
  TOOL_TEMPLATE,
  WEIGHT_INDEX,
} from '../models/checkpoint/modelFiles';
import { sizesOfConfig, type ModelSizes } from '../models/checkpoint/modelSizes';
import { UserError } from '../rules/userError';
import { namesIn, repositoriesIn, RepositoryCache, sizeOf } from './repositoryCache';

export interface DownloadedModel {
  readonly name: string;
  readonly commit: string;
  /** Model directory: a snapshot in the cache. */
  readonly directory: string;
  /** Files that the model needs; the directory can contain others. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
  readonly bytes: number;
}

/** Bytes above which a download has begun: more than the configs and indices of published models. */
const MAX_PLANNING_BYTES = 8e6;

/**
 * Returns a model of which all needed files are in the cache; undefined if any is missing. `needed` are the files
 * besides the weights; by default those that the model's kind needs.
 */
export function downloadedModel(
  cache: string,
  name: string,
  needed?: readonly string[],
): DownloadedModel | undefined {
  const repository = new RepositoryCache(cache, name);
  for (const commit of repository.commits()) {
    const directory = repository.snapshot(commit);
    const { files } = snapshotFiles(directory, needed);
    if (files === undefined) continue;
    return { name, commit, directory, files, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  }
  return undefined;
}

/** Returns all complete models in a cache, members of known pairs or not. */
export function downloadedModels(cache: string): DownloadedModel[] {
  return repositoriesIn(cache).flatMap((name) => downloadedModel(cache, name) ?? []);
}

/** Returns a complete model; otherwise throws a UserError that says how to download it. */
export function requireDownloaded(cache: string, name: string, needed?: readonly string[]): DownloadedModel {
  const found = downloadedModel(cache, name, needed);
  if (found !== undefined) return found;
  const repository = new RepositoryCache(cache, name);
  const [absent] = repository
    .commits()
    .map((commit) => snapshotFiles(repository.snapshot(commit), needed).absent);
  throw notDownloaded(name, cache, name, absent === undefined ? '' : ` (${absent} is missing)`);
}

/** Returns the error for a missing model. `argument` is the argument of the download command. */
export function notDownloaded(model: string, cache: string, argument: string, why = ''): UserError {
  return new UserError(`There is no complete download of ${model} in ${cache}${why}. Download it.`, {
    command: `flashline models pull ${argument}`,
  });
}

/** Returns whether a download of a model has begun or is complete, and the bytes of it that have arrived. */
export function arrivedOf(cache: string, name: string): { isBegun: boolean; bytes: number } {
  const model = downloadedModel(cache, name);
  if (model !== undefined) return { isBegun: true, bytes: model.bytes };
  const repository = new RepositoryCache(cache, name);
  const partials = repository.partials();
  const bytes = repository.bytesOf([...repository.finishedBlobs(), ...partials]);
  // Small files fetched while planning do not count as a begun download.
  return { isBegun: partials.length > 0 || bytes > MAX_PLANNING_BYTES, bytes };
}

/** Returns the names of repositories without a complete model that have an unfinished blob of ours. */
export function unfinishedModels(cache: string): string[] {
  const isBegun = (name: string): boolean => new RepositoryCache(cache, name).partials().length > 0;
  return repositoriesIn(cache).filter((name) => isBegun(name) && downloadedModel(cache, name) === undefined);
}

/** Returns the files of a model directory that the model needs, or the name of one that is missing. */
function snapshotFiles(
  directory: string,
  needed: readonly string[] = neededFiles(readFields(join(directory, CONFIG))),
) {
  // sizeOf returns -1 for a link to a missing blob.
  const present = [...namesIn(directory), TOOL_TEMPLATE]
    .map((name) => ({ name, size: sizeOf(join(directory, name)) }))
    .filter(({ size }) => size >= 0);
  const index = present.some(({ name }) => name === WEIGHT_INDEX) ? join(directory, WEIGHT_INDEX) : undefined;
  return modelFiles(present, index, needed);
}

/** A config, and the model sizes computed from it and the files next to it. */
export interface SizedConfig {
  readonly config: ConfigFields;
  /** Undefined if the config lacks needed fields. */
  readonly sizes: ModelSizes | undefined;
}

/** Reads the config of a model directory. An unreadable config has no fields. */
export function readModelSizes(directory: string): SizedConfig {
  const files = namesIn(directory).map((name) => ({ name, size: sizeOf(join(directory, name)) }));
  const config = readFields(join(directory, CONFIG));
  return { config, sizes: sizesOfConfig(config, files) };
}
