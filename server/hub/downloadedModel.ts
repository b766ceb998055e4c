// The models that are there already, whoever has downloaded them. Asks nobody: works without a network.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../inputError';
import { CONFIG, INDEX, isLoadable, neededFiles, shardsOf } from './neededFiles';
import { namesIn, repositoriesIn, RepositoryCache, sizeOf } from './repositoryCache';

export interface DownloadedModel {
  readonly name: string;
  readonly commit: string;
  /** The snapshot, as a model directory. */
  readonly directory: string;
  /** Those that are read; others may lie beside them. */
  readonly files: readonly { readonly name: string; readonly size: number }[];
  readonly bytes: number;
}

/** Undefined unless all files that a model needs are there: half a download is none. */
export function downloadedModel(cache: string, name: string): DownloadedModel | undefined {
  const own = new RepositoryCache(cache, name);
  for (const commit of own.commits()) {
    const directory = own.snapshot(commit);
    const files = loadableFiles(directory);
    if (files === undefined) continue;
    return { name, commit, directory, files, bytes: files.reduce((sum, { size }) => sum + size, 0) };
  }
  return undefined;
}

/** All that load, known pairs or not. */
export function downloadedModels(cache: string): DownloadedModel[] {
  return repositoriesIn(cache).flatMap((name) => downloadedModel(cache, name) ?? []);
}

/** Throws InputError, which says how to get it, unless it is there. */
export function requireDownloaded(cache: string, name: string): DownloadedModel {
  const found = downloadedModel(cache, name);
  if (found !== undefined) return found;
  throw new InputError({
    expected: `${name} in ${cache}`,
    got: 'no complete download',
    remedy: `download it with flashline models pull ${name}`,
  });
}

function loadableFiles(directory: string): DownloadedModel['files'] | undefined {
  // A link to a blob that is gone has no size.
  const sized = namesIn(directory).map((name) => ({ name, size: sizeOf(join(directory, name)) }));
  const there = sized.filter(({ size }) => size >= 0);
  const names = there.map(({ name }) => name);
  const shards = names.includes(INDEX) ? shardsOf(readJson(join(directory, INDEX))) : undefined;
  if (!isLoadable(names, shards)) return undefined;
  if (!names.includes('tokenizer.json') && !isDrafter(readJson(join(directory, CONFIG)))) return undefined;
  return neededFiles(there, shards);
}

/** Drafters speak the tokens of their target. */
function isDrafter(config: unknown): boolean {
  if (typeof config !== 'object' || config === null || !('architectures' in config)) return false;
  return (
    Array.isArray(config.architectures) && config.architectures.some((name) => String(name).includes('Draft'))
  );
}

/** Undefined for what is no JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
