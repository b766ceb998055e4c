// What a download would do: the files of a target and perhaps its drafter, which of them are missing, and the problems
// on this machine, each as an error that says what to do. Fetches nothing larger than the index of the weights.
import { InputError } from '../rules/inputError';
import type { CatalogueEntry, MachineFacts } from '../protocol/modelCatalogue';
import { ConfigFields } from '../models/checkpoint/configFields';
import { unsupportedFamily } from '../models/checkpoint/unsupportedFamily';
import { hashProblem } from '../models/checkpoint/targetHash';
import { formatSize } from '../rules/format';
import type { HubConnection } from './connection';
import { downloadBlob, hasBlob } from './downloadBlob';
import { CONFIG, downloadedModel, downloadState, INDEX, modelFiles } from './downloadedModel';
import { folderProblem } from './hubError';
import { estimates, thisMachine } from './machine';
import { quantisedBits, sizesOfConfig, type SizedConfig } from './modelSizes';
import { readRepository, type Repository, type RepositoryFile } from './repository';
import { RepositoryCache, sizeOf } from './repositoryCache';

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

/** `model_type` of targets and `architectures` of drafters that can be loaded. */
export interface Loadable {
  readonly targets: readonly string[];
  readonly drafters: readonly string[];
  /** Why a target does not load, as far as its config.json tells. */
  readonly problemOf: (config: ConfigFields) => InputError | undefined;
}

/** The user may ignore the others, but not a full disk. */
export interface PlanProblems {
  readonly disk: InputError | undefined;
  readonly others: readonly InputError[];
}

/** Of the config and the index, which are fetched before anybody has agreed to the size. */
const MOST_BYTES_UNASKED = 64e6;
/** For whatever else writes to the disk meanwhile. */
const DISK_MARGIN = 256 * 2 ** 20;

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
  const sum = (of: (cache: RepositoryCache, file: RepositoryFile) => number): number =>
    models
      .flatMap(({ cache, files }) => files.map((file) => of(cache, file)))
      .reduce((total, each) => total + each, 0);
  const bytes = sum((_, { size }) => size);
  return { folder, models, bytes, missingBytes: bytes - sum(bytesThere) };
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
    if (!hasBlob(cache, file)) await downloadBlob(download);
    return cache.blob(file.checksum);
  };
  const [configFile, index] = [await fetched(CONFIG), await fetched(INDEX)];
  const needed = modelFiles(files, index);
  if (configFile === undefined || needed === undefined) throw noModel(repository);
  // Its errors name the repository, not a blob.
  const config = new ConfigFields(`config.json of ${cache.name}`, ConfigFields.read(configFile).object);
  return { repository, cache, files: needed, config, sizes: sizesOfConfig(config, needed) };
}

/** Of a file, whole or not. */
export function bytesThere(cache: RepositoryCache, file: RepositoryFile): number {
  if (hasBlob(cache, file)) return file.size;
  return Math.min(file.size, Math.max(0, sizeOf(cache.partial(file.checksum))));
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

/** The entry of a planned target and perhaps its drafter. Fetches nothing more. */
export function lookUp(plan: DownloadPlan, loadable: Loadable): CatalogueEntry {
  const { folder, models, bytes, missingBytes } = plan;
  const repositories = models.map(({ repository }) => repository.name);
  const [target = '', drafter = 'none'] = repositories;
  const [first] = models;
  const { disk, others } = planProblems(plan, loadable);
  return {
    ...(first && isDrafter(first.config, loadable)
      ? { kind: 'drafter', target: '', drafter: target }
      : { kind: 'repository', target, drafter }),
    name: target,
    repositories,
    bits: first && quantisedBits(first.config),
    license: licenseText(models.map(({ repository }) => repository.license)),
    downloadBytes: bytes,
    arrivedBytes: bytes - missingBytes,
    isBegun: downloadState(folder, target).state === 'begun',
    isDownloaded: repositories.every((name) => downloadedModel(folder, name) !== undefined),
    ...estimates(
      models.map(({ sizes }) => sizes),
      thisMachine(folder).processor,
    ),
    problem: (disk ?? others[0])?.message,
    isRecommended: false,
    isInUse: false,
  };
}

/** Each licence once; undefined if none is stated. */
export function licenseText(licenses: readonly (string | undefined)[]): string | undefined {
  const told = new Set(licenses.filter((license) => license !== undefined));
  return told.size > 0 ? [...told].join(', ') : undefined;
}

export function planProblems(
  { folder, models, missingBytes }: DownloadPlan,
  loadable: Loadable,
): PlanProblems {
  const machine = thisMachine(folder);
  const [target, drafter] = models;
  const sizes = models.map((model) => model.sizes);
  const { memoryBytes } = estimates(sizes, machine.processor);
  const others = [
    ...models.map(({ config, repository }) => configProblem(config, repository.name, loadable)),
    target && drafter && drafterProblem(target.config, drafter.config),
    memoryProblem(memoryBytes, models.map(({ repository }) => repository.name).join(' with '), machine),
  ];
  return {
    disk: diskProblem(missingBytes, machine, folder),
    others: others.filter((problem) => problem !== undefined),
  };
}

export function diskProblem(
  missingBytes: number,
  { freeDiskBytes }: MachineFacts,
  folder: string,
): InputError | undefined {
  if (missingBytes === 0 || missingBytes + DISK_MARGIN <= freeDiskBytes) return undefined;
  return new InputError({
    expected: `${formatSize(missingBytes)} free in ${folder}`,
    got: formatSize(freeDiskBytes),
    remedy: 'free some space or use another folder (HF_HUB_CACHE)',
  });
}

/** `name` is what needs `bytes`. */
export function memoryProblem(
  bytes: number | undefined,
  name: string,
  { memoryBytes, usableBytes, processor }: MachineFacts,
): InputError | undefined {
  if (bytes === undefined || bytes <= usableBytes) return undefined;
  return new InputError({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${processor}`,
    got: `${formatSize(usableBytes)} usable of ${formatSize(memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** Why a target cannot be loaded, as far as its config tells. `name` is its repository. */
export function configProblem(
  config: ConfigFields,
  name: string,
  loadable: Loadable,
): InputError | undefined {
  if (isDrafter(config, loadable)) return undefined;
  if (config.has('model_type')) return loadable.problemOf(config);
  return new InputError({
    expected: `a model_type in config.json of ${name}`,
    got: 'none',
    remedy: 'choose another model',
  });
}

export function isDrafter(config: ConfigFields, { drafters }: Loadable): boolean {
  return config.has('architectures') && drafters.includes(config.strings('architectures')[0] ?? '');
}

/** `family` is the `model_type` of a known pair's target, of which the config is not here yet. */
export function unsupported(family: string, { targets }: Loadable): InputError | undefined {
  return targets.includes(family) ? undefined : unsupportedFamily(family);
}

/** Checks the hash of the target, if the drafter carries one, and the sizes that both must share. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
  const other = hashProblem(target, drafter);
  if (other) return other;
  const text = target.part('text_config'); // Where targets with vision keep their text model.
  const equal = [
    ['hidden_size', 'hidden_size'],
    ['vocab_size', 'vocab_size'],
    ['num_target_layers', 'num_hidden_layers'],
  ] as const;
  for (const [own, theirs] of equal) {
    if (!drafter.has(own) || !text.has(theirs)) continue;
    const [got, expected] = [drafter.integer(own), text.integer(theirs)];
    if (got === expected) continue;
    return new InputError({
      expected: `${own} ${String(expected)} in the drafter's config, as in its target's`,
      got: String(got),
      remedy: 'choose the drafter made for this target',
    });
  }
  return undefined;
}
