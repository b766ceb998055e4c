// Lists all models that a user can choose: the built-in pair, known pairs, other complete or unfinished downloads, and
// the models in use. Reads the file system only.
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { diskProblem, memoryProblem } from './roomProblems';
import { thisMachine } from '../machine/thisMachine';
import { isDrafter } from '../models/checkpoint/modelFiles';
import { quantisedBits, type ModelSizes } from '../models/checkpoint/modelSizes';
import { orUserError, UserError } from '../rules/userError';
import type { CatalogueEntry, MachineFacts } from '../protocol/modelCatalogue';
import {
  downloadedModel,
  downloadedModels,
  readModelSizes,
  arrivedOf,
  unfinishedModels,
  type DownloadedModel,
} from './downloadedModels';
import type { DownloadPlan } from './downloadPlan';
import { knownPairs, variantsOf, type PairVariant } from './knownPairs';
import { draftsPay, estimates, speedOf, weightBytesOf } from './estimates';
import { planProblems, type Loadable } from './modelProblems';
import { recommendedPair } from './recommendedPair';
import {
  downloadedPair,
  pairDirectories,
  repositoryOf,
  targetAlone,
  type MeasuredSpeed,
  type PairDirectories,
} from './pairDirectories';

/** Inputs of the catalogue and of downloads. The composition root provides them; tests pass their own. */
export interface ModelSource {
  /** Folder of the downloads. */
  readonly cache: string;
  /** Environment of the process: proxies, endpoints and logins of other tools. */
  readonly env: NodeJS.ProcessEnv;
  readonly loadable: () => Promise<Loadable>;
  /** Returns the speed measured by earlier loads of a pair; empty before the first load. */
  readonly measured: (directories: PairDirectories) => MeasuredSpeed;
}

/** Fields of an entry that do not follow from the sizes of its models. */
interface EntryFacts extends Partial<CatalogueEntry> {
  readonly kind: CatalogueEntry['kind'];
  readonly name: string;
  readonly target: string;
  readonly drafter: string;
}

/** The pair named by the settings of a client. */
interface ChosenPair {
  readonly target: string;
  readonly drafter: string;
}

/** Values shared by all entries of one listing. */
interface Listing {
  readonly cache: string;
  readonly measured: ModelSource['measured'];
  readonly machine: MachineFacts;
  readonly loadable: Loadable;
  readonly recommended: PairVariant | undefined;
  /** Directories of the chosen pair, or the error that says why it is missing. */
  readonly current: PairDirectories | UserError;
}

const NO_LICENSE = 'none stated for the drafter';

/** Lists all models. `chosen` is the pair of the settings, which is listed even if it is missing. */
export async function catalogue(
  { cache, measured, loadable }: Omit<ModelSource, 'env'>,
  chosen: ChosenPair = { target: '', drafter: '' },
): Promise<{ readonly machine: MachineFacts; readonly entries: readonly CatalogueEntry[] }> {
  const loadableModels = await loadable();
  const machine = thisMachine(cache);
  const isDownloaded = (name: string): boolean => downloadedModel(cache, name) !== undefined;
  const measuredSpeed = ({ repositories }: PairVariant): number | undefined => {
    const directories = downloadedPair(repositories, cache);
    const { draftedTokensPerSecond, tokensPerSecond } = directories ? measured(directories) : {};
    return draftedTokensPerSecond ?? tokensPerSecond;
  };
  const recommended = recommendedPair(machine, loadableModels.targets, isDownloaded, {
    measured: measuredSpeed,
  });
  const current = orUserError(() => pairDirectories(chosen.target, chosen.drafter, { cache, measured }));
  const listing: Listing = { cache, measured, machine, loadable: loadableModels, recommended, current };
  const pairs = knownPairs.flatMap(variantsOf).map((variant) => pairEntry(listing, variant));
  const downloadedPairs = pairs.filter((entry) => entry.isDownloaded);
  // A drafter without its target stays a separate entry: it can serve another target.
  const listed = new Set([
    ...pairs.map(({ target }) => target),
    ...downloadedPairs.map(({ drafter }) => drafter),
  ]);
  const pairRepositories = new Set(pairs.flatMap(({ repositories }) => repositories));
  const builtIn = { kind: 'embedded', name: 'embedded', infill: 'fim', isBase: true } as const;
  const embedded = { ...builtIn, target: '', drafter: '', isRecommended: recommended === undefined };
  const entries = [
    folderEntry(listing, embedded, pairDirectories()),
    ...pairs,
    ...downloadedModels(cache)
      .filter(({ name }) => !listed.has(name))
      .flatMap((model) => repositoryEntry(listing, model) ?? []),
    ...unfinishedModels(cache)
      .filter((name) => !pairRepositories.has(name))
      .map((name) => unfinishedEntry(listing, name)),
  ];
  const isListed = entries.some(({ isInUse }) => isInUse);
  return { machine, entries: isListed ? entries : [chosenEntry(listing, chosen), ...entries] };
}

function pairEntry(listing: Listing, variant: PairVariant): CatalogueEntry {
  const { cache, machine, recommended } = listing;
  const { pair, bits, knownDrafter, target, drafter, repositories, sizes } = variant;
  const { name, infill, isBase, isNextEdit } = pair;
  const directories = downloadedPair(repositories, cache);
  const arrivedBytes = repositories.reduce((sum, repository) => sum + arrivedOf(cache, repository).bytes, 0);
  const names = { kind: 'pair', name, target, drafter, repositories, bits } as const;
  const facts: EntryFacts = {
    ...names,
    infill,
    isBase,
    isNextEdit,
    arrivedBytes,
    drafterKind: pair.drafters.length > 1 ? knownDrafter?.kind : undefined,
    license: licenseText([pair.license, ...(knownDrafter ? [knownDrafter.license ?? NO_LICENSE] : [])]),
    // After the download, the exact size is known.
    downloadBytes: directories ? arrivedBytes : Math.max(weightBytesOf(sizes), arrivedBytes),
    isBegun: !directories && arrivedOf(cache, target).isBegun && isForDrafter(cache, variant),
    draftsPay: knownDrafter && draftsPay(variant, machine.processor),
    isRecommended: recommended?.target === target && recommended.drafter === drafter,
  };
  return entryOf(listing, { ...facts, ...(directories && downloadedFacts(listing, directories)) }, sizes);
}

/**
 * Returns whether an unfinished target is listed with the drafter of this variant: a drafter that has bytes on disk, or
 * the default one if none has.
 */
function isForDrafter(cache: string, { pair: { drafters }, knownDrafter }: PairVariant): boolean {
  const begun = drafters.filter(({ repository }) => arrivedOf(cache, repository).bytes > 0);
  return begun.length > 0
    ? begun.some((candidate) => candidate === knownDrafter)
    : knownDrafter === drafters[0];
}

/**
 * Returns the entry of a downloaded repository; undefined for a target of none of the supported families, such as a
 * model downloaded for another program.
 */
function repositoryEntry(
  listing: Listing,
  { name, directory, bytes }: DownloadedModel,
): CatalogueEntry | undefined {
  const { loadable } = listing;
  const { config } = readModelSizes(directory);
  const facts = { name, repositories: [name], downloadBytes: bytes, arrivedBytes: bytes };
  if (isDrafter(config)) {
    const drafter = { kind: 'drafter', target: '', drafter: name, isDownloaded: true, directory } as const;
    return entryOf(listing, { ...facts, ...drafter }, []);
  }
  if (!loadable.targets.some((family) => family === config.raw('model_type'))) return undefined;
  const target = { kind: 'repository', target: name, drafter: 'none' } as const;
  return folderEntry(listing, { ...facts, ...target }, targetAlone(directory));
}

/** Returns the entry of an unfinished download, without a total size, since only the Hub knows how much is missing. */
function unfinishedEntry(listing: Listing, name: string): CatalogueEntry {
  const arrivedBytes = arrivedOf(listing.cache, name).bytes;
  const names = { kind: 'repository', name, target: name, drafter: 'none', repositories: [name] } as const;
  return entryOf(listing, { ...names, arrivedBytes, isBegun: true }, []);
}

/**
 * Returns the entry of a chosen pair that is not listed otherwise: a folder, a drafter other than the default, or a
 * pair that is missing.
 */
function chosenEntry(listing: Listing, { target, drafter }: ChosenPair): CatalogueEntry {
  const { current } = listing;
  const embedded = target === '' ? 'embedded' : undefined;
  const names = { kind: 'folder', name: embedded ?? target, target, drafter } as const;
  if (current instanceof UserError)
    return entryOf(listing, { ...names, isInUse: true, problem: current.message }, []);
  const { targetDirectory } = current;
  const name = embedded ?? repositoryOf(targetDirectory) ?? basename(targetDirectory);
  return folderEntry(listing, { ...names, name }, current);
}

/** Returns the entry of a pair that is in folders and needs no download. */
function folderEntry(listing: Listing, pairFacts: EntryFacts, directories: PairDirectories): CatalogueEntry {
  const { targetDirectory, drafterDirectory } = directories;
  const target = readModelSizes(targetDirectory);
  const sizes = [target.sizes, ...(drafterDirectory ? [readModelSizes(drafterDirectory).sizes] : [])];
  const facts = { bits: quantisedBits(target.config), ...downloadedFacts(listing, directories) };
  return entryOf(listing, { ...pairFacts, ...facts }, sizes);
}

/** Returns the fields that only downloaded models have. */
function downloadedFacts({ measured, current }: Listing, directories: PairDirectories) {
  const { tokensPerSecond, draftedTokensPerSecond } = measured(directories);
  return {
    ...(tokensPerSecond !== undefined && { speed: speedOf(tokensPerSecond, true) }),
    draftedTokensPerSecond,
    isDownloaded: true,
    isInUse: isDeepStrictEqual(directories, current),
    directory: directories.targetDirectory,
  };
}

/** Completes an entry with estimates and defaults. `sizes` has the target's first; undefined where unknown. */
function entryOf(
  { machine, cache }: { readonly machine: MachineFacts; readonly cache: string },
  facts: EntryFacts,
  sizes: readonly (ModelSizes | undefined)[],
): CatalogueEntry {
  const estimated = estimates(sizes, machine.processor);
  const { name, bits, arrivedBytes = 0, downloadBytes = arrivedBytes } = facts;
  const label = bits === undefined ? name : `${name} at ${String(bits)} bits`;
  const problem =
    memoryProblem(estimated.memoryBytes, label, machine) ??
    diskProblem(downloadBytes - arrivedBytes, machine, cache);
  return {
    repositories: [],
    arrivedBytes,
    isDownloaded: false,
    isBegun: false,
    isRecommended: false,
    isInUse: false,
    problem: problem?.message,
    ...estimated,
    ...facts,
  };
}

/** Returns the entry of a planned download: a target and its drafter, if any. Makes no further request. */
export function plannedEntry(plan: DownloadPlan, loadable: Loadable): CatalogueEntry {
  const { folder, models, bytes, missingBytes } = plan;
  const repositories = models.map(({ repository }) => repository.name);
  const [name = '', drafter = 'none'] = repositories;
  const [first] = models;
  const isDownloaded = downloadedPair(repositories, folder) !== undefined;
  const { disk, ofModels } = planProblems(plan, loadable);
  const facts: EntryFacts = {
    ...(first && isDrafter(first.config)
      ? { kind: 'drafter', target: '', drafter: name }
      : { kind: 'repository', target: name, drafter }),
    name,
    repositories,
    bits: first && quantisedBits(first.config),
    license: licenseText(models.map(({ repository }) => repository.license)),
    downloadBytes: bytes,
    arrivedBytes: bytes - missingBytes,
    isBegun: !isDownloaded && arrivedOf(folder, name).isBegun,
    isDownloaded,
    problem: (disk ?? ofModels[0])?.message,
  };
  const sizes = models.map((model) => model.sizes);
  return entryOf({ machine: thisMachine(folder), cache: folder }, facts, sizes);
}

/** Lists each licence once; undefined if none is stated. */
function licenseText(licenses: readonly (string | undefined)[]): string | undefined {
  const stated = new Set(licenses.filter((license) => license !== undefined));
  return stated.size > 0 ? [...stated].join(', ') : undefined;
}
