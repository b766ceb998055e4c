// The entries of the catalogue of models, one kind after the other. Asks the file system and nobody else.
import { basename } from 'node:path';
import { InputError } from '../inputError';
import type { CatalogueEntry } from '../modelCatalogue';
import { arrivedBytes } from './arrivedBytes';
import { estimatedSpeed, measuredSpeed } from './estimatedSpeed';
import { downloadedModel, type DownloadedModel } from './downloadedModel';
import type { Machine } from './machine';
import { architectureOf, readModelFolder, type ModelFolder } from './modelFolder';
import { memoryNeed, quantisedBits } from './modelSizes';
import type { ChosenPair, ModelDirectories, ModelSource } from './modelSource';
import { repositoryOf } from './namedModel';
import { variantFacts, type Surroundings } from './pairFacts';
import { repositoriesOf, type PairVariant } from './pairVariant';
import { diskProblem, memoryProblem, unsupported } from './problem';

export interface LocatedEntry {
  readonly entry: CatalogueEntry;
  /** Undefined before they are there. */
  readonly directories: ModelDirectories | undefined;
}

/** Of what lies in folders and needs no download. */
const HERE = {
  repositories: [],
  arrivedBytes: 0,
  isBegun: false,
  isDownloaded: true,
  isRecommended: false,
  isInUse: false,
};

export function embeddedEntry(source: ModelSource, { machine }: Surroundings): LocatedEntry {
  const directories = source.directories({ target: '', drafter: '' });
  const entry: CatalogueEntry = {
    ...HERE,
    kind: 'embedded',
    name: 'embedded',
    target: '',
    drafter: '',
    infill: 'fim',
    ...measuredFacts(source, machine, directories),
    directory: directories.targetDirectory,
  };
  return { entry, directories };
}

export function pairEntry(source: ModelSource, around: Surroundings, variant: PairVariant): LocatedEntry {
  const { cache, machine, loadable } = around;
  const { pair, bits, target, drafter } = variant;
  const facts = variantFacts(variant, around);
  const [one, other] = repositoriesOf(variant).map((name) => downloadedModel(cache, name)?.directory);
  const directories = one && other ? { targetDirectory: one, drafterDirectory: other } : undefined;
  const measured = directories && source.measured(directories);
  const missing = facts.downloaded ? 0 : facts.downloadBytes - facts.arrivedBytes;
  const problem =
    unsupported(pair.target.modelType, target, loadable) ??
    memoryProblem(facts.memoryBytes, `${pair.name} with ${String(bits)} bits`, machine) ??
    diskProblem(missing, machine, cache);
  const licenses = new Set([pair.target.license, pair.drafter.license]);
  const tokensPerSecond = measured?.tokensPerSecond;
  const entry: CatalogueEntry = {
    kind: 'pair',
    name: pair.name,
    target,
    drafter,
    repositories: repositoriesOf(variant),
    bits,
    license: [...licenses].join(', '),
    infill: measured?.infill ?? pair.infill,
    downloadBytes: facts.downloadBytes,
    arrivedBytes: facts.arrivedBytes,
    isDownloaded: facts.downloaded,
    isBegun: facts.begun,
    memoryBytes: facts.memoryBytes,
    speed: tokensPerSecond === undefined ? facts.speed : measuredSpeed(tokensPerSecond),
    ...(problem && { problem: problem.message }),
    isRecommended: facts.recommended,
    isInUse: false,
    ...(directories && { directory: directories.targetDirectory }),
  };
  return { entry, directories };
}

/** Undefined for what is downloaded for other programs and does not load here. */
export function repositoryEntry(
  source: ModelSource,
  { machine, loadable }: Surroundings,
  { name, directory, bytes }: DownloadedModel,
): LocatedEntry | undefined {
  const folder = readModelFolder(directory);
  if (folder === undefined) return undefined;
  const { config } = folder;
  const arrived = { repositories: [name], downloadBytes: bytes, arrivedBytes: bytes, directory };
  if (loadable.drafters.includes(architectureOf(config))) {
    const entry = { ...HERE, ...arrived, kind: 'drafter', name, target: '', drafter: name } as const;
    return { entry, directories: undefined };
  }
  const family = config.has('model_type') ? config.raw('model_type') : undefined;
  if (!loadable.targets.some((each) => each === family)) return undefined;
  const directories = { targetDirectory: directory, drafterDirectory: undefined };
  const facts = measuredFacts(source, machine, directories);
  const entry = {
    ...HERE,
    kind: 'repository',
    name,
    target: name,
    drafter: 'none',
    ...facts,
    ...arrived,
  } as const;
  return { entry, directories };
}

/** How much of it is missing only the hub knows. */
export function unfinishedEntry({ cache }: ModelSource, name: string): LocatedEntry {
  const arrived = {
    repositories: [name],
    arrivedBytes: arrivedBytes(cache, name),
    isDownloaded: false,
    isBegun: true,
  };
  const names = { kind: 'repository', name, target: name, drafter: 'none' } as const;
  return { entry: { ...HERE, ...arrived, ...names }, directories: undefined };
}

/** What the settings name where it is none of the others: a folder, or another drafter than the usual one. */
export function chosenEntry(
  source: ModelSource,
  { machine }: Surroundings,
  { target, drafter }: ChosenPair,
  directories: ModelDirectories | InputError,
): CatalogueEntry {
  const base = { ...HERE, kind: 'folder', target, drafter, isInUse: true } as const;
  if (directories instanceof InputError) {
    return { ...base, name: target, isDownloaded: false, problem: directories.message };
  }
  const { targetDirectory: directory } = directories;
  const name = target === '' ? 'embedded' : (repositoryOf(directory) ?? basename(directory));
  return { ...base, name, directory, ...measuredFacts(source, machine, directories) };
}

/** What the files and earlier loads tell. */
function measuredFacts(
  source: ModelSource,
  machine: Machine,
  directories: ModelDirectories,
): Pick<CatalogueEntry, 'bits' | 'memoryBytes' | 'speed' | 'infill' | 'problem'> {
  const folders = [directories.targetDirectory, directories.drafterDirectory ?? []]
    .flat()
    .map(readModelFolder)
    .filter((folder): folder is ModelFolder => folder !== undefined);
  const [target] = folders;
  const sizes = folders.flatMap((folder) => folder.sizes ?? []);
  const { tokensPerSecond, infill } = source.measured(directories);
  const memoryBytes = sizes.length > 0 ? memoryNeed(sizes, machine.processor) : undefined;
  const bits = target && quantisedBits(target.config);
  const problem = memoryBytes && memoryProblem(memoryBytes, basename(directories.targetDirectory), machine);
  const estimated = target?.sizes && estimatedSpeed(target.sizes, machine);
  const speed = tokensPerSecond === undefined ? estimated : measuredSpeed(tokensPerSecond);
  return {
    ...(bits !== undefined && { bits }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(speed && { speed }),
    ...(infill && { infill }),
    ...(problem && { problem: problem.message }),
  };
}
