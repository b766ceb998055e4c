// What a download would do: the files of a target and perhaps its drafter, what is missing of them, and what speaks
// against it on this machine, each as an error that says what to do. Fetches nothing larger than the index of the weights.
import { InputError } from '../inputError';
import type { CatalogueEntry, MachineFacts } from '../modelCatalogue';
import { ConfigFields } from '../models/configFields';
import { hashProblem } from '../models/targetHash';
import { formatSize } from '../rules/format';
import type { HubConnection } from './connection';
import { downloadBlob, hasBlob } from './downloadBlob';
import { CONFIG, downloadedModel, INDEX, isBegun, modelFiles } from './downloadedModel';
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
  /** Of `bytes`, what is not there yet. */
  readonly missingBytes: number;
}

/** `model_type` of targets and `architectures` of drafters that can be loaded. */
export interface Loadable {
  readonly targets: readonly string[];
  readonly drafters: readonly string[];
}

/** Who asks may go on in spite of it, but not on a full disk. */
export interface PlanProblems {
  readonly disk: InputError | undefined;
  readonly others: readonly InputError[];
}

/** For what else writes to the disk meanwhile. */
const DISK_MARGIN = 256 * 2 ** 20;

/** Throws InputError for what is no model, and when the hub does not know it, or not the person. */
export async function planDownload(
  connection: HubConnection,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const models: PlannedModel[] = [];
  for (const name of names)
    models.push(await planModel(connection, new RepositoryCache(folder, name), signal));
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
  /** Of small ones, from which the others follow. */
  const fetched = async (name: string): Promise<string | undefined> => {
    const file = files.find((each) => each.name === name);
    if (file === undefined) return undefined;
    const download = { connection, cache, commit, file, signal, onBytes: () => undefined };
    if (!hasBlob(cache, file)) await downloadBlob(download);
    return cache.blob(file.checksum);
  };
  const [configFile, index] = [await fetched(CONFIG), await fetched(INDEX)];
  const needed = modelFiles(files, index);
  if (configFile === undefined || needed === undefined) throw noModel(repository);
  const config = ConfigFields.read(configFile);
  return { repository, cache, files: needed, config, sizes: sizesOfConfig(config, needed) };
}

/** Of a file, whole or not. */
export function bytesThere(cache: RepositoryCache, file: RepositoryFile): number {
  if (hasBlob(cache, file)) return file.size;
  return Math.min(file.size, Math.max(0, sizeOf(cache.partial(file.checksum))));
}

function noModel({ name, files }: Repository): InputError {
  const names = files.slice(0, 8).map((file) => file.name);
  return new InputError({
    expected: `config.json and all weights as safetensors in ${name}`,
    got: names.length === 0 ? 'no files' : names.join(', '),
    remedy: 'choose a repository in the format of Hugging Face or mlx-community',
  });
}

/** A target, and perhaps its drafter, that a person names, as the hub has planned them. Fetches nothing more. */
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
    isBegun: isBegun(folder, target),
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

/** Each once; undefined where none is told. */
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
    ...models.map(({ config, repository }) => familyProblem(config, repository.name, loadable)),
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
    remedy: 'give it more space or use another folder (HF_HUB_CACHE)',
  });
}

/** `name` is what needs so many bytes. */
export function memoryProblem(
  bytes: number | undefined,
  name: string,
  { memoryBytes, usableBytes, processor }: MachineFacts,
): InputError | undefined {
  if (bytes === undefined || bytes <= usableBytes) return undefined;
  return new InputError({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${processor}`,
    got: `${formatSize(usableBytes)} that can be used of ${formatSize(memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}

/** A target of an unknown family may still be of the Llama shape. */
export function familyProblem(
  config: ConfigFields,
  name: string,
  loadable: Loadable,
): InputError | undefined {
  if (isDrafter(config, loadable)) return undefined;
  return unsupported(config.has('model_type') ? config.string('model_type') : 'none', name, loadable);
}

export function isDrafter(config: ConfigFields, { drafters }: Loadable): boolean {
  return config.has('architectures') && drafters.includes(config.strings('architectures')[0] ?? '');
}

/** `family` is the `model_type` of a target. */
export function unsupported(family: string, name: string, { targets }: Loadable): InputError | undefined {
  if (targets.includes(family)) return undefined;
  return new InputError({
    expected: `${name} to be of a supported type (${targets.join(', ')})`,
    got: `model_type ${family}`,
    remedy: 'choose another model, or force this one (--force) if it is of the Llama shape',
  });
}

/** The hash of its target, where a drafter carries one, and the sizes in which it must be like its target. */
export function drafterProblem(target: ConfigFields, drafter: ConfigFields): InputError | undefined {
  const other = hashProblem(target, drafter);
  if (other) return other;
  // Targets that also see have their text model in there.
  const text = target.has('text_config') ? target.nested('text_config') : target;
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
      expected: `${own} ${String(expected)} in the config of the drafter, as its target has`,
      got: String(got),
      remedy: 'choose the drafter that was made for this target',
    });
  }
  return undefined;
}
