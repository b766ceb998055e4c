// What a download would do: the files, what is missing of them, and the config, which is read before the weights come.
// Fetches nothing larger than the index of the weights.
import { InputError } from '../inputError';
import { ConfigFields } from '../models/configFields';
import type { HubConnection } from './connection';
import { downloadBlob, hasBlob } from './downloadBlob';
import { readJson } from './downloadedModel';
import { CONFIG, FIRST_FILES, INDEX, isLoadable, neededFiles, shardsOf } from './neededFiles';
import { readRepository, type Repository, type RepositoryFile } from './repository';
import { RepositoryCache, sizeOf } from './repositoryCache';

export interface DownloadPlan {
  readonly repository: Repository;
  readonly cache: RepositoryCache;
  readonly files: readonly RepositoryFile[];
  readonly bytes: number;
  /** Of `bytes`, what is not there yet. */
  readonly missingBytes: number;
  readonly config: ConfigFields;
}

/** `cache` is the folder of all repositories. Throws InputError for what is no model. */
export async function planDownload(
  connection: HubConnection,
  cache: string,
  name: string,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const own = new RepositoryCache(cache, name);
  const repository = await readRepository(connection, name, signal);
  const { commit, files } = repository;
  const first = files.filter((file) => FIRST_FILES.includes(file.name));
  for (const file of first) {
    const download = { connection, cache: own, commit, file, signal, onBytes: () => undefined };
    if (!hasBlob(own, file)) await downloadBlob(download);
  }
  const blobOf = (wanted: string): string | undefined => {
    const file = first.find((each) => each.name === wanted);
    return file && own.blob(file.checksum);
  };
  const index = blobOf(INDEX);
  const shards = index === undefined ? undefined : shardsOf(readJson(index));
  const needed = neededFiles(files, shards);
  const config = blobOf(CONFIG);
  if (config === undefined || !isLoadable(needed.map(nameOf), shards)) throw noModel(repository);
  return { repository, cache: own, files: needed, ...sizes(own, needed), config: ConfigFields.read(config) };
}

function sizes(
  cache: RepositoryCache,
  files: readonly RepositoryFile[],
): { bytes: number; missingBytes: number } {
  const sum = (of: (file: RepositoryFile) => number): number =>
    files.reduce((all, file) => all + of(file), 0);
  const bytes = sum(({ size }) => size);
  return { bytes, missingBytes: bytes - sum((file) => bytesThere(cache, file)) };
}

/** Of a file, whole or not. */
export function bytesThere(cache: RepositoryCache, file: RepositoryFile): number {
  if (hasBlob(cache, file)) return file.size;
  return Math.min(file.size, Math.max(0, sizeOf(cache.partial(file.checksum))));
}

function nameOf({ name }: RepositoryFile): string {
  return name;
}

function noModel({ name, files }: Repository): InputError {
  const names = files.map(nameOf).slice(0, 8).join(', ');
  return new InputError({
    expected: `config.json and all weights as safetensors in ${name}`,
    got: names === '' ? 'no files' : names,
    remedy: 'choose a repository in the format of Hugging Face or mlx-community',
  });
}
