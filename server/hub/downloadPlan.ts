// What a download would do: the files of a target and perhaps its drafter, and which of them are missing. Fetches
// nothing larger than the index of the weights.
import { InputError } from '../rules/inputError';
import { ConfigFields } from '../models/checkpoint/configFields';
import { formatSize } from '../rules/format';
import type { HubConnection } from './connection';
import { downloadBlob } from './downloadBlob';
import { CONFIG, INDEX, modelFiles } from './downloadedModel';
import { folderProblem } from './downloadError';
import { sizesOfConfig, type SizedConfig } from './modelSizes';
import { readRepository, type Repository } from './repository';
import { RepositoryCache, type RepositoryFile } from './repositoryCache';

/** The config is read before the weights come. */
export interface PlannedModel extends SizedConfig {
  readonly repository: Repository;
  readonly cache: RepositoryCache;
  readonly files: readonly RepositoryFile[];
}

export interface DownloadPlan {
  /** Folder of all repositories. */
  readonly folder: string;
  /** The target first. */
  readonly models: readonly PlannedModel[];
  readonly bytes: number;
  /** The part of `bytes` that is not there yet. */
  readonly missingBytes: number;
}

/** Of the config and the index, which are fetched before anybody has agreed to the size. */
const MOST_BYTES_UNASKED = 64e6;

/** Throws InputError for something that is not a model, or that the Hub does not have or does not let the user see. */
export async function planDownload(
  connection: HubConnection,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<DownloadPlan> {
  try {
    const models: PlannedModel[] = [];
    for (const name of names)
      models.push(await planModel(connection, new RepositoryCache(folder, name), signal));
    return planOf(folder, models);
  } catch (error) {
    throw folderProblem(error, folder);
  }
}

function planOf(folder: string, models: readonly PlannedModel[]): DownloadPlan {
  let [bytes, missingBytes] = [0, 0];
  for (const { cache, files } of models)
    for (const file of files) {
      bytes += file.size;
      missingBytes += file.size - cache.arrived(file);
    }
  return { folder, models, bytes, missingBytes };
}

async function planModel(
  connection: HubConnection,
  cache: RepositoryCache,
  signal: AbortSignal,
): Promise<PlannedModel> {
  const repository = await readRepository(connection, cache.name, signal);
  const { commit, files } = repository;
  /** Fetches a small file that tells which others are needed. */
  const fetched = async (name: string): Promise<string | undefined> => {
    const file = files.find((each) => each.name === name);
    if (file === undefined) return undefined;
    if (file.size > MOST_BYTES_UNASKED) throw tooLarge(cache.name, file);
    const download = { connection, cache, commit, file, signal, onBytes: () => undefined };
    if (!cache.has(file)) await downloadBlob(download);
    return cache.blob(file.checksum);
  };
  const [configFile, index] = [await fetched(CONFIG), await fetched(INDEX)];
  const { files: needed } = modelFiles(files, index);
  if (configFile === undefined || needed === undefined) throw noModel(repository);
  // Its errors name the repository, not a blob.
  const config = new ConfigFields(`config.json of ${cache.name}`, ConfigFields.read(configFile).object);
  return { repository, cache, files: needed, config, sizes: sizesOfConfig(config, needed) };
}

function tooLarge(name: string, file: RepositoryFile): InputError {
  return new InputError({
    expected: `at most ${formatSize(MOST_BYTES_UNASKED)} for ${file.name} of ${name}`,
    got: formatSize(file.size),
    remedy: 'choose another repository',
  });
}

function noModel({ name, files }: Repository): InputError {
  const names = files.slice(0, 8).map((file) => file.name);
  return new InputError({
    expected: `config.json and all weights as safetensors in ${name}`,
    got: names.length === 0 ? 'no files' : names.join(', '),
    remedy: 'choose a repository in the Hugging Face or mlx-community format',
  });
}
