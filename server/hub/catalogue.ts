// All models that a person can choose here: the embedded pair, known pairs, what else is downloaded or begun, and what
// is in use. Asks the file system and nobody else.
import { basename } from 'node:path';
import { InputError } from '../inputError';
import type { CatalogueEntry, MachineFacts } from '../modelCatalogue';
import {
  arrivedBytes,
  downloadedModel,
  downloadedModels,
  isBegun,
  unfinishedModels,
  type DownloadedModel,
} from './downloadedModel';
import {
  diskProblem,
  isDrafter,
  licenseText,
  memoryProblem,
  unsupported,
  type Loadable,
} from './downloadPlan';
import { knownPairs, variantsOf, type PairVariant } from './knownPairs';
import { advise, estimates, speedOf, thisMachine } from './machine';
import { quantisedBits, readModelSizes, weightBytesOf, type ModelSizes } from './modelSizes';
import {
  downloadedPair,
  pairDirectories,
  repositoryOf,
  targetAlone,
  type PairDirectories,
} from './pairDirectories';

/** What is asked of this machine. The composition root answers; tests bring answers of their own. */
export interface ModelSource {
  /** Folder of the downloads. */
  readonly cache: string;
  /** Of the process: proxies, endpoints and logins of other tools. */
  readonly env: NodeJS.ProcessEnv;
  readonly loadable: () => Promise<Loadable>;
  /** What earlier loads of a pair have found out here; empty before the first. */
  readonly measured: (directories: PairDirectories) => Measured;
}

interface Measured {
  /** Of plain decoding. */
  readonly tokensPerSecond?: number | undefined;
  readonly infill?: CatalogueEntry['infill'];
}

/** What is known of an entry beside its sizes. */
type KnownFacts = Partial<CatalogueEntry> & Pick<CatalogueEntry, 'kind' | 'name' | 'target' | 'drafter'>;

/** What the settings of a client name. */
type ChosenPair = Pick<CatalogueEntry, 'target' | 'drafter'>;

/** What all entries of one listing are seen with. */
interface Surroundings extends Pick<ModelSource, 'cache' | 'measured'> {
  readonly machine: MachineFacts;
  readonly loadable: Loadable;
  readonly recommended: PairVariant | undefined;
  /** Where the chosen pair lies; an error says why it is not there. */
  readonly current: PairDirectories | InputError;
}

/** What holds of an entry that does not say otherwise. */
const NOTHING = {
  repositories: [],
  arrivedBytes: 0,
  isDownloaded: false,
  isBegun: false,
  isRecommended: false,
  isInUse: false,
};

export async function catalogue(source: ModelSource, chosen: ChosenPair): Promise<CatalogueEntry[]> {
  const around = await surroundings(source, chosen);
  const { cache } = around;
  const pairs = pairEntries(around);
  const there = pairs.filter(({ isDownloaded }) => isDownloaded);
  // A drafter whose target is not there may serve another one.
  const told = new Set([...pairs.map(({ target }) => target), ...there.map(({ drafter }) => drafter)]);
  const ofPairs = new Set(pairs.flatMap(({ repositories }) => repositories));
  const embedded = { kind: 'embedded', name: 'embedded', target: '', drafter: '', infill: 'fim' } as const;
  const entries = [
    folderEntry(around, embedded, pairDirectories()),
    ...pairs,
    ...downloadedModels(cache)
      .filter(({ name }) => !told.has(name))
      .flatMap((model) => repositoryEntry(around, model) ?? []),
    ...unfinishedModels(cache)
      .filter((name) => !ofPairs.has(name))
      .map((name) => unfinishedEntry(around, name)),
  ];
  return entries.some(({ isInUse }) => isInUse) ? entries : [chosenEntry(around, chosen), ...entries];
}

export async function surroundings(
  { cache, measured, loadable }: Omit<ModelSource, 'env'>,
  chosen: ChosenPair = { target: '', drafter: '' },
): Promise<Surroundings> {
  const machine = thisMachine(cache);
  const loads = await loadable();
  const recommended = advise(machine, loads.targets, (name) => downloadedModel(cache, name) !== undefined);
  return { cache, measured, machine, loadable: loads, recommended, current: currentPair(chosen, cache) };
}

function currentPair({ target, drafter }: ChosenPair, cache: string): PairDirectories | InputError {
  try {
    return pairDirectories(target, drafter, cache);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** Of the known pairs, one for each number of bits. */
export function pairEntries(around: Surroundings): CatalogueEntry[] {
  return knownPairs.flatMap(variantsOf).map((variant) => pairEntry(around, variant));
}

function pairEntry(around: Surroundings, variant: PairVariant): CatalogueEntry {
  const { cache, machine, loadable, recommended } = around;
  const { pair, bits, target, drafter, repositories, sizes } = variant;
  const { name, infill } = pair;
  const directories = downloadedPair(repositories, cache);
  const arrived = repositories.reduce((sum, each) => sum + arrivedBytes(cache, each), 0);
  // The repositories say it exactly, once they are there.
  const downloadBytes = directories ? arrived : Math.max(weightBytesOf(sizes), arrived);
  const isTargetThere = downloadedModel(cache, target) !== undefined;
  const license = licenseText(Object.values(pair.licenses));
  const known = { kind: 'pair', name, target, drafter, repositories, bits, license, infill } as const;
  const entry = entryOf(around, known, sizes, directories);
  return {
    ...entry,
    downloadBytes,
    arrivedBytes: arrived,
    isBegun: directories === undefined && (isTargetThere || isBegun(cache, target)),
    problem:
      unsupported(pair.modelType, target, loadable)?.message ??
      entry.problem ??
      diskProblem(downloadBytes - arrived, machine, cache)?.message,
    isRecommended: recommended?.target === target,
  };
}

/** Undefined for what is downloaded for other programs and does not load here. */
function repositoryEntry(
  around: Surroundings,
  { name, directory, bytes }: DownloadedModel,
): CatalogueEntry | undefined {
  const { loadable } = around;
  const config = readModelSizes(directory)?.config;
  if (config === undefined) return undefined;
  const arrived = { repositories: [name], downloadBytes: bytes, arrivedBytes: bytes, directory };
  if (isDrafter(config, loadable))
    return { ...NOTHING, ...arrived, kind: 'drafter', name, target: '', drafter: name, isDownloaded: true };
  if (!loadable.targets.some((family) => family === config.raw('model_type'))) return undefined;
  const names = { kind: 'repository', name, target: name, drafter: 'none' } as const;
  return { ...folderEntry(around, names, targetAlone(directory)), ...arrived };
}

/** How much of it is missing only the hub knows. */
function unfinishedEntry({ cache }: Surroundings, name: string): CatalogueEntry {
  const arrived = { repositories: [name], arrivedBytes: arrivedBytes(cache, name), isBegun: true };
  return { ...NOTHING, ...arrived, kind: 'repository', name, target: name, drafter: 'none' };
}

/** What the settings name where it is none of the others: a folder, or another drafter than the usual one. */
function chosenEntry(around: Surroundings, { target, drafter }: ChosenPair): CatalogueEntry {
  const { current } = around;
  const names = { kind: 'folder', name: target, target, drafter } as const;
  if (current instanceof InputError) return { ...NOTHING, ...names, isInUse: true, problem: current.message };
  const { targetDirectory } = current;
  const name = target === '' ? 'embedded' : (repositoryOf(targetDirectory) ?? basename(targetDirectory));
  return folderEntry(around, { ...names, name }, current);
}

/** Of what lies in folders and needs no download. */
function folderEntry(around: Surroundings, known: KnownFacts, directories: PairDirectories): CatalogueEntry {
  const { targetDirectory, drafterDirectory } = directories;
  const folders = [targetDirectory, drafterDirectory ?? []].flat();
  const [target, ...others] = folders.flatMap((folder) => readModelSizes(folder) ?? []);
  const sizes = [target, ...others].map((model) => model?.sizes);
  return entryOf(around, { ...known, bits: target && quantisedBits(target.config) }, sizes, directories);
}

/** Of models, the target first, by what their sizes and earlier loads tell. `directories`: undefined before they are there. */
function entryOf(
  { machine, measured, current }: Surroundings,
  known: KnownFacts,
  sizes: readonly (ModelSizes | undefined)[],
  directories: PairDirectories | undefined,
): CatalogueEntry {
  const { tokensPerSecond, infill }: Measured = directories ? measured(directories) : {};
  const estimated = estimates(sizes, machine.processor);
  const { name, bits } = known;
  const label = bits === undefined ? name : `${name} with ${String(bits)} bits`;
  return {
    ...NOTHING,
    ...known,
    ...estimated,
    ...(tokensPerSecond !== undefined && { speed: speedOf(tokensPerSecond, true) }),
    infill: infill ?? known.infill,
    isDownloaded: directories !== undefined,
    isInUse: directories !== undefined && isSame(directories, current),
    directory: directories?.targetDirectory,
    problem: memoryProblem(estimated.memoryBytes, label, machine)?.message,
  };
}

function isSame(a: PairDirectories, b: PairDirectories | InputError): boolean {
  if (b instanceof InputError) return false;
  return a.targetDirectory === b.targetDirectory && a.drafterDirectory === b.drafterDirectory;
}
