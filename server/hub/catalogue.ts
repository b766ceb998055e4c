// All models that a user can choose here: the built-in pair, known pairs, other complete or unfinished downloads, and
// what is in use. Reads the file system only.
import { basename } from 'node:path';
import { thisMachine } from '../machine/thisMachine';
import { InputError } from '../rules/inputError';
import type { CatalogueEntry, MachineFacts, ModelCatalogue } from '../protocol/modelCatalogue';
import {
  downloadedModel,
  downloadedModels,
  downloadState,
  unfinishedModels,
  type DownloadedModel,
} from './downloadedModel';
import type { DownloadPlan } from './download';
import { knownPairs, variantsOf, type PairVariant } from './knownPairs';
import { advise, draftsPay, estimates, speedOf } from './estimates';
import { diskProblem, isDrafter, memoryProblem, planProblems, type Loadable } from './modelProblems';
import { quantisedBits, readModelSizes, weightBytesOf, type ModelSizes } from './modelSizes';
import {
  downloadedPair,
  pairDirectories,
  repositoryOf,
  targetAlone,
  type MeasuredSpeed,
  type PairDirectories,
  type PairSearch,
} from './pairDirectories';

/** What the catalogue needs to know of this machine. The composition root provides it; tests bring their own. */
export interface ModelSource {
  /** Folder of the downloads. */
  readonly cache: string;
  /** The environment of the process: proxies, endpoints and logins of other tools. */
  readonly env: NodeJS.ProcessEnv;
  readonly loadable: () => Promise<Loadable>;
  /** What earlier loads of a pair have found out here; empty before the first. */
  readonly measured: (directories: PairDirectories) => MeasuredSpeed;
}

/** What is known of an entry apart from its sizes. */
type KnownFacts = Partial<CatalogueEntry> & Pick<CatalogueEntry, 'kind' | 'name' | 'target' | 'drafter'>;

/** What the settings of a client name. */
type ChosenPair = Pick<CatalogueEntry, 'target' | 'drafter'>;

/** What all entries of one listing have in common. */
interface Surroundings extends Pick<ModelSource, 'cache' | 'measured'> {
  readonly machine: MachineFacts;
  readonly loadable: Loadable;
  readonly recommended: PairVariant | undefined;
  /** Where the chosen pair is; an error says why it is missing. */
  readonly current: PairDirectories | InputError;
}

const NO_LICENSE = 'none stated for the drafter';

/** The defaults of an entry. */
const NOTHING = {
  repositories: [],
  arrivedBytes: 0,
  isDownloaded: false,
  isBegun: false,
  isRecommended: false,
  isInUse: false,
};

export async function catalogue(
  { cache, measured, loadable }: Omit<ModelSource, 'env'>,
  chosen: ChosenPair = { target: '', drafter: '' },
): Promise<Pick<ModelCatalogue, 'machine' | 'entries'>> {
  const loads = await loadable();
  const machine = thisMachine(cache);
  const isDownloaded = (name: string): boolean => downloadedModel(cache, name) !== undefined;
  const recommended = advise(machine, loads.targets, isDownloaded, undefined, ({ repositories }) => {
    const directories = downloadedPair(repositories, cache);
    const { draftedTokensPerSecond, tokensPerSecond } = directories ? measured(directories) : {};
    return draftedTokensPerSecond ?? tokensPerSecond;
  });
  const current = pairInUse(chosen, { cache, measured });
  const around: Surroundings = { cache, measured, machine, loadable: loads, recommended, current };
  const pairs = knownPairs.flatMap(variantsOf).map((variant) => pairEntry(around, variant));
  const there = pairs.filter(({ isDownloaded }) => isDownloaded);
  // A drafter whose target is not there may serve another one.
  const told = new Set([...pairs.map(({ target }) => target), ...there.map(({ drafter }) => drafter)]);
  const ofPairs = new Set(pairs.flatMap(({ repositories }) => repositories));
  const builtIn = { kind: 'embedded', name: 'embedded', infill: 'fim', isBase: true } as const;
  const embedded = { ...builtIn, target: '', drafter: '' };
  const entries = [
    { ...folderEntry(around, embedded, pairDirectories()), isRecommended: recommended === undefined },
    ...pairs,
    ...downloadedModels(cache)
      .filter(({ name }) => !told.has(name))
      .flatMap((model) => repositoryEntry(around, model) ?? []),
    ...unfinishedModels(cache)
      .filter((name) => !ofPairs.has(name))
      .map((name) => unfinishedEntry(around, name)),
  ];
  const isListed = entries.some(({ isInUse }) => isInUse);
  return { machine, entries: isListed ? entries : [chosenEntry(around, chosen), ...entries] };
}

function pairInUse({ target, drafter }: ChosenPair, search: PairSearch): PairDirectories | InputError {
  try {
    return pairDirectories(target, drafter, search);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function pairEntry(around: Surroundings, variant: PairVariant): CatalogueEntry {
  const { cache, machine, recommended } = around;
  const { pair, bits, knownDrafter, target, drafter, repositories, sizes } = variant;
  const { name, infill, isBase } = pair;
  const drafterKind = pair.drafters.length > 1 ? knownDrafter?.kind : undefined;
  const directories = downloadedPair(repositories, cache);
  const arrived = repositories.reduce((sum, each) => sum + downloadState(cache, each).bytes, 0);
  // Once they are downloaded, the exact size is known.
  const downloadBytes = directories ? arrived : Math.max(weightBytesOf(sizes), arrived);
  const license = licenseText([pair.license, ...(knownDrafter ? [knownDrafter.license ?? NO_LICENSE] : [])]);
  const names = { kind: 'pair', name, target, drafter, drafterKind } as const;
  const known = { ...names, repositories, bits, license, infill, isBase };
  const entry = entryOf(around, known, sizes, directories);
  return {
    ...entry,
    downloadBytes,
    arrivedBytes: arrived,
    isBegun:
      directories === undefined &&
      downloadState(cache, target).state !== 'missing' &&
      isMeant(cache, variant),
    problem: entry.problem ?? diskProblem(downloadBytes - arrived, machine, cache)?.message,
    draftsPay: knownDrafter && draftsPay(variant, machine.processor),
    isRecommended: recommended?.target === target && recommended.drafter === drafter,
  };
}

/** Whether a download of its target, if there is one, is for this drafter: what was begun, or else the default. */
function isMeant(cache: string, { pair: { drafters }, knownDrafter }: PairVariant): boolean {
  const begun = drafters.filter(({ repository }) => downloadState(cache, repository).bytes > 0);
  return begun.length > 0 ? begun.some((each) => each === knownDrafter) : knownDrafter === drafters[0];
}

/** Undefined for what is downloaded for other programs and does not load here. */
function repositoryEntry(
  around: Surroundings,
  { name, directory, bytes }: DownloadedModel,
): CatalogueEntry | undefined {
  const { loadable } = around;
  const { config } = readModelSizes(directory);
  const arrived = { repositories: [name], downloadBytes: bytes, arrivedBytes: bytes, directory };
  if (isDrafter(config, loadable))
    return { ...NOTHING, ...arrived, kind: 'drafter', name, target: '', drafter: name, isDownloaded: true };
  if (!loadable.targets.some((family) => family === config.raw('model_type'))) return undefined;
  const names = { kind: 'repository', name, target: name, drafter: 'none' } as const;
  return { ...folderEntry(around, names, targetAlone(directory)), ...arrived };
}

/** Only the Hub knows how much of it is missing. */
function unfinishedEntry({ cache }: Surroundings, name: string): CatalogueEntry {
  const arrived = { repositories: [name], arrivedBytes: downloadState(cache, name).bytes, isBegun: true };
  return { ...NOTHING, ...arrived, kind: 'repository', name, target: name, drafter: 'none' };
}

/** What the settings name if it is none of the others: a folder, or a drafter other than the default. */
function chosenEntry(around: Surroundings, { target, drafter }: ChosenPair): CatalogueEntry {
  const { current } = around;
  const names = { kind: 'folder', name: target, target, drafter } as const;
  if (current instanceof InputError) return { ...NOTHING, ...names, isInUse: true, problem: current.message };
  const { targetDirectory } = current;
  const name = target === '' ? 'embedded' : (repositoryOf(targetDirectory) ?? basename(targetDirectory));
  return folderEntry(around, { ...names, name }, current);
}

/** The entry of a pair that is in folders and needs no download. */
function folderEntry(around: Surroundings, known: KnownFacts, directories: PairDirectories): CatalogueEntry {
  const { targetDirectory, drafterDirectory } = directories;
  const target = readModelSizes(targetDirectory);
  const sizes = [target.sizes, ...(drafterDirectory ? [readModelSizes(drafterDirectory).sizes] : [])];
  return entryOf(around, { ...known, bits: quantisedBits(target.config) }, sizes, directories);
}

/** `sizes` are those of the models, the target's first; `directories` is undefined until they are downloaded. */
function entryOf(
  { machine, measured, current }: Surroundings,
  known: KnownFacts,
  sizes: readonly (ModelSizes | undefined)[],
  directories: PairDirectories | undefined,
): CatalogueEntry {
  const { tokensPerSecond, draftedTokensPerSecond }: MeasuredSpeed = directories ? measured(directories) : {};
  const estimated = estimates(sizes, machine.processor);
  const { name, bits } = known;
  const label = bits === undefined ? name : `${name} at ${String(bits)} bits`;
  return {
    ...NOTHING,
    ...known,
    ...estimated,
    ...(tokensPerSecond !== undefined && { speed: speedOf(tokensPerSecond, true) }),
    draftedTokensPerSecond,
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

/** The entry of a planned target and perhaps its drafter. Fetches nothing more. */
export function lookUp(plan: DownloadPlan, loadable: Loadable): CatalogueEntry {
  const { folder, models, bytes, missingBytes } = plan;
  const repositories = models.map(({ repository }) => repository.name);
  const [target = '', drafter = 'none'] = repositories;
  const [first] = models;
  const { disk, others } = planProblems(plan, loadable);
  return {
    ...NOTHING,
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
  };
}

/** Each licence once; undefined if none is stated. */
function licenseText(licenses: readonly (string | undefined)[]): string | undefined {
  const told = new Set(licenses.filter((license) => license !== undefined));
  return told.size > 0 ? [...told].join(', ') : undefined;
}
