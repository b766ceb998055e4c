// Plans a download of a target and its drafter, if any. Fetches nothing larger than the index of the weights.
import { ConfigFields } from '../models/checkpoint/configFields';
import { MAX_CONFIG_BYTES } from '../models/checkpoint/modelText';
import { QUANTISATION_FILES, withQuantisationOfOtherFiles } from '../models/checkpoint/foreignQuantisation';
import { CONFIG, modelFiles, WEIGHT_INDEX } from '../models/checkpoint/modelFiles';
import { sizesOfConfig } from '../models/checkpoint/modelSizes';
import { formatSize } from '../rules/formatNumber';
import { BlobDownload } from './blobDownload';
import { downloadedModel, type SizedConfig } from './downloadedModels';
import { folderProblem, unusable } from './downloadError';
import type { Hub } from './hub';
import { readRepository, type Repository } from './repository';
import { RepositoryCache, type RepositoryFile } from './repositoryCache';

/** A model to download, with its config, which is fetched before the weights. */
export interface PlannedModel extends SizedConfig {
  readonly repository: Repository;
  readonly cache: RepositoryCache;
  readonly files: readonly RepositoryFile[];
}

export interface DownloadPlan {
  /** Folder of all repositories. */
  readonly folder: string;
  /** Models to download, target first. */
  readonly models: readonly PlannedModel[];
  readonly bytes: number;
  /** Part of `bytes` that has not arrived yet. */
  readonly missingBytes: number;
}

/**
 * Size limit of an index or a file about quantisation, which are fetched before the user has agreed to a download size.
 */
const MAX_INDEX_BYTES = 64e6;

/**
 * Plans the download of a target and its drafter; `names` are their repositories, target first. A model that is
 * complete at the main branch known here keeps that commit, unless `isUpdate`. Throws UserError for a repository that
 * is not a model, or that is missing or hidden from this user.
 */
export async function planDownload(
  hub: Hub,
  folder: string,
  names: readonly string[],
  { signal, isUpdate = false }: { readonly signal: AbortSignal; readonly isUpdate?: boolean },
): Promise<DownloadPlan> {
  try {
    const models: PlannedModel[] = [];
    for (const name of names) {
      const cache = new RepositoryCache(folder, name);
      const commit = cache.commitOf('main');
      const isKept = !isUpdate && commit !== undefined && downloadedModel(folder, name)?.commit === commit;
      models.push(await planModel(hub, cache, isKept ? commit : 'main', signal));
    }
    let bytes = 0;
    let missingBytes = 0;
    for (const { cache, files } of models)
      for (const file of files) {
        bytes += file.size;
        missingBytes += file.size - cache.arrived(file);
      }
    return { folder, models, bytes, missingBytes };
  } catch (error) {
    throw folderProblem(error, folder);
  }
}

async function planModel(
  hub: Hub,
  cache: RepositoryCache,
  revision: string,
  signal: AbortSignal,
): Promise<PlannedModel> {
  const repository = await readRepository(hub, cache.name, revision, signal);
  const { commit, files } = repository;
  /** Fetches a small file that the plan depends on, and returns its path; undefined if it is not listed. */
  const fetched = async (name: string): Promise<string | undefined> => {
    const file = files.find((listed) => listed.name === name);
    if (file === undefined) return undefined;
    const maxBytes = name === CONFIG ? MAX_CONFIG_BYTES : MAX_INDEX_BYTES;
    if (file.size > maxBytes)
      throw unusable(`at most ${formatSize(maxBytes)} for ${name} of ${cache.name}`, formatSize(file.size));
    if (!cache.has(file)) await new BlobDownload(hub, cache, commit, file).run(signal);
    return cache.blob(file.checksum);
  };
  const configFile = await fetched(CONFIG);
  const index = await fetched(WEIGHT_INDEX);
  const { files: needed } = modelFiles(files, index);
  if (configFile === undefined || needed === undefined) {
    const listed = files.slice(0, 8).map(({ name }) => name);
    throw unusable(`config.json and all weights as safetensors in ${cache.name}`, listed.join(', '));
  }
  // Errors name the repository instead of a blob.
  const fieldsOf = (name: string, file: string): ConfigFields =>
    new ConfigFields(`${name} of ${cache.name}`, ConfigFields.read(file).object);
  const quantisationConfigs: ConfigFields[] = [];
  for (const name of QUANTISATION_FILES) {
    const file = await fetched(name);
    if (file !== undefined) quantisationConfigs.push(fieldsOf(name, file));
  }
  const config = withQuantisationOfOtherFiles(fieldsOf(CONFIG, configFile), quantisationConfigs);
  return { repository, cache, files: needed, config, sizes: sizesOfConfig(config, needed) };
}
