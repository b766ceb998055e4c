// Finds the directories of a target and its drafter: folders given by the user, downloaded known pairs and
// repositories, or the built-in pair that ships with the program. Needs no network.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromHome, mediaPath, modelCacheFolder } from '../machine/folders';
import { CONFIG } from '../models/checkpoint/modelFiles';
import { downloadedModel, notDownloaded, requireDownloaded } from './downloadedModels';
import {
  drafterName,
  drafterOf,
  knownPairs,
  pairById,
  pairId,
  variantsOf,
  type KnownDrafter,
  type KnownPair,
} from './knownPairs';
import { isRepositoryName, RepositoryCache } from './repositoryCache';

export interface PairDirectories {
  readonly targetDirectory: string;
  /** Directory of the drafter; undefined for decoding without one. */
  readonly drafterDirectory: string | undefined;
}

/** Speed of a pair measured by earlier loads here; undefined where none was. */
export interface MeasuredSpeed {
  /** Speed of plain decoding. */
  readonly tokensPerSecond?: number | undefined;
  /** Speed with drafts. */
  readonly draftedTokensPerSecond?: number | undefined;
}

export interface PairSearch {
  /** Folder of the downloads. */
  readonly cache: string;
  /** Returns measured speeds, to choose between the drafters of a known pair. */
  readonly measured: (directories: PairDirectories) => MeasuredSpeed;
}

/**
 * Resolves the settings `target` and `drafter`, in which `~` is the home folder. Empty names mean the built-in pair;
 * another target has no drafter unless one is named or the target is a known pair, whose drafter can also be named by
 * its kind. Throws UserError for a known model that is not downloaded.
 */
export function pairDirectories(
  givenTarget = '',
  givenDrafter = '',
  { cache = modelCacheFolder(undefined), measured = () => ({}) }: Partial<PairSearch> = {},
): PairDirectories {
  const search = { cache, measured };
  const target = fromHome(givenTarget);
  const drafter = fromHome(givenDrafter);
  const pair = existsSync(target) ? undefined : pairById(target);
  const knownDrafter = existsSync(drafter) ? undefined : pair && drafterOf(pair, drafter);
  if (pair && knownDrafter) return downloadedVariant(pair, search, knownDrafter);
  if (drafter === '') return defaultPair(target, search);
  // With another drafter or none, the drafter of a known pair need not be downloaded.
  const targetDirectory =
    (pair && downloadedTarget(pair, cache)) ?? defaultPair(target, search).targetDirectory;
  if (drafter === 'none') return targetAlone(targetDirectory);
  // Requires no tokenizer, even for an unknown kind of model: loading then names the unsupported algorithm.
  const named = namedModel(drafter, search, [CONFIG]);
  const drafterDirectory = named?.drafterDirectory ?? named?.targetDirectory ?? resolve(drafter);
  return { targetDirectory, drafterDirectory };
}

/** Returns the directories of a target and its default drafter, if it has one. */
function defaultPair(target: string, search: PairSearch): PairDirectories {
  if (target === '') return builtInPair();
  return namedModel(target, search) ?? targetAlone(resolve(target));
}

/**
 * Returns the directories of a known pair or of a downloaded repository with this name; undefined for an existing
 * folder and for any other name. Throws UserError for a known model that is not downloaded, and for a repository that
 * lacks a file.
 */
function namedModel(
  name: string,
  search: PairSearch,
  needed?: readonly string[],
): PairDirectories | undefined {
  if (existsSync(name)) return undefined;
  const pair = pairById(name);
  if (pair) return downloadedVariant(pair, search);
  if (!isRepositoryName(name)) return undefined;
  const { cache } = search;
  const isKnown = knownPairs.flatMap(variantsOf).some(({ repositories }) => repositories.includes(name));
  const hasSnapshot = new RepositoryCache(cache, name).commits().length > 0;
  return isKnown || hasSnapshot ? targetAlone(requireDownloaded(cache, name, needed).directory) : undefined;
}

/**
 * Returns the downloaded variant with the fewest bits, and of several drafters for it the fastest. If `requiredDrafter`
 * is given, only its variants count. Throws UserError if none is downloaded.
 */
function downloadedVariant(
  pair: KnownPair,
  { cache, measured }: PairSearch,
  requiredDrafter?: KnownDrafter,
): PairDirectories {
  const variants = variantsOf(pair).filter(
    ({ knownDrafter }) => requiredDrafter === undefined || knownDrafter === requiredDrafter,
  );
  for (const { target } of variants) {
    const downloaded = variants
      .filter((variant) => variant.target === target)
      .flatMap(({ repositories }) => downloadedPair(repositories, cache) ?? []);
    const chosen = fastest(downloaded, measured);
    if (chosen) return chosen;
  }
  const drafter = requiredDrafter ? ` --drafter ${drafterName(pair, requiredDrafter)}` : '';
  throw notDownloaded(pair.name, cache, pairId(pair) + drafter);
}

/** Returns the directory of a known pair's downloaded target with the fewest bits; undefined without one. */
function downloadedTarget(pair: KnownPair, cache: string): string | undefined {
  const [first] = variantsOf(pair).flatMap(({ target }) => downloadedModel(cache, target) ?? []);
  return first?.directory;
}

/** Returns the pair that decodes fastest with drafts, or the first until all were measured. */
function fastest(
  pairs: readonly PairDirectories[],
  measured: (directories: PairDirectories) => MeasuredSpeed,
): PairDirectories | undefined {
  // A single pair needs no look-up of its speed.
  if (pairs.length < 2) return pairs[0];
  const speeds = pairs.map((pair) => measured(pair).draftedTokensPerSecond ?? NaN);
  // indexOf returns -1 if any speed is NaN, which selects the first pair.
  return pairs[Math.max(0, speeds.indexOf(Math.max(...speeds)))];
}

/** Returns the directories of a target and its drafter, if any; undefined unless all are downloaded. */
export function downloadedPair(repositories: readonly string[], cache: string): PairDirectories | undefined {
  const downloaded = repositories.flatMap((name) => downloadedModel(cache, name)?.directory ?? []);
  const [targetDirectory, drafterDirectory] = downloaded;
  return targetDirectory && downloaded.length === repositories.length
    ? { targetDirectory, drafterDirectory }
    : undefined;
}

/** Returns the name of a repository in a cache, without the organisation; undefined for other folders. */
export function repositoryOf(directory: string): string | undefined {
  return /[/\\]models--[^/\\]+?--([^/\\]+)[/\\]snapshots[/\\][0-9a-f]+$/.exec(directory)?.[1];
}

/** Returns the directories of a target without a drafter. */
export function targetAlone(targetDirectory: string): PairDirectories {
  return { targetDirectory, drafterDirectory: undefined };
}

function builtInPair(): PairDirectories {
  return { targetDirectory: mediaPath('model/target'), drafterDirectory: mediaPath('model/drafter') };
}
