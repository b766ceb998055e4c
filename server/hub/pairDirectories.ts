// Where the models of a request are: folders that a user names, downloaded known pairs and repositories, or the
// built-in pair that ships with the program. Needs no network.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { mediaPath, modelCacheFolder } from '../machine/folders';
import { downloadedModel, notDownloaded, requireDownloaded } from './downloadedModels';
import {
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
  /** Undefined decodes without drafts. */
  readonly drafterDirectory: string | undefined;
}

/** What earlier loads of a pair have found out here; undefined where nothing was. */
export interface MeasuredSpeed {
  /** Of plain decoding. */
  readonly tokensPerSecond?: number | undefined;
  /** With drafts. */
  readonly draftedTokensPerSecond?: number | undefined;
}

export interface PairSearch {
  /** Folder of the downloads. */
  readonly cache?: string;
  /** Decides between the drafters of a known pair. */
  readonly measured?: (directories: PairDirectories) => MeasuredSpeed;
}

/**
 * Undefined or empty names mean the built-in pair; another target has no drafter unless one is named or the target is a
 * known pair. Of a known pair's drafters one can be named by its kind. Throws InputError for a known model that is not
 * downloaded.
 */
export function pairDirectories(target = '', drafter = '', search: PairSearch = {}): PairDirectories {
  const pair = existsSync(target) ? undefined : pairById(target);
  const known = existsSync(drafter) ? undefined : pair && drafterOf(pair, drafter);
  if (pair && known) return downloadedVariant(pair, search, known);
  const usual = target === '' ? embeddedPair() : (namedModel(target, search) ?? targetAlone(resolve(target)));
  if (drafter === '') return usual;
  if (drafter === 'none') return targetAlone(usual.targetDirectory);
  const named = namedModel(drafter, search);
  const drafterDirectory = named?.drafterDirectory ?? named?.targetDirectory ?? resolve(drafter);
  return { ...usual, drafterDirectory };
}

/**
 * Undefined if it names neither a downloaded pair nor repository; a folder of that name takes precedence. Throws
 * InputError for a known model that is not downloaded, and for a repository of which a file is missing.
 */
export function namedModel(name: string, search: PairSearch): PairDirectories | undefined {
  if (existsSync(name)) return undefined;
  const pair = pairById(name);
  if (pair) return downloadedVariant(pair, search);
  if (!isRepositoryName(name)) return undefined;
  const { cache = modelCacheFolder(undefined) } = search;
  const isKnown = knownPairs.flatMap(variantsOf).some(({ repositories }) => repositories.includes(name));
  const isBegun = new RepositoryCache(cache, name).commits().length > 0;
  return isKnown || isBegun ? targetAlone(requireDownloaded(cache, name).directory) : undefined;
}

/** With the fewest bits that are there. */
function downloadedVariant(pair: KnownPair, search: PairSearch, only?: KnownDrafter): PairDirectories {
  const { cache = modelCacheFolder(undefined), measured = () => ({}) } = search;
  const variants = variantsOf(pair).filter(({ knownDrafter }) => (only ?? knownDrafter) === knownDrafter);
  for (const { target } of variants) {
    const there = variants
      .filter((each) => each.target === target)
      .flatMap(({ repositories }) => downloadedPair(repositories, cache) ?? []);
    const chosen = fastest(there, measured);
    if (chosen) return chosen;
  }
  const drafter = only ? ` --drafter ${only.kind.toLowerCase()}` : '';
  throw notDownloaded(pair.name, cache, pairId(pair) + drafter);
}

/** With drafts. The first, until all have run here; one that is alone is not looked up. */
function fastest(
  pairs: readonly PairDirectories[],
  measured: (directories: PairDirectories) => MeasuredSpeed,
): PairDirectories | undefined {
  if (pairs.length < 2) return pairs[0];
  const speeds = pairs.map((pair) => measured(pair).draftedTokensPerSecond ?? NaN);
  // The first as well if one of them is NaN.
  return pairs[Math.max(0, speeds.indexOf(Math.max(...speeds)))];
}

/** The folders of a target and of its drafter, if it has one; undefined unless all are there. */
export function downloadedPair(repositories: readonly string[], cache: string): PairDirectories | undefined {
  const there = repositories.flatMap((name) => downloadedModel(cache, name)?.directory ?? []);
  const [targetDirectory, drafterDirectory] = there;
  return targetDirectory && there.length === repositories.length
    ? { targetDirectory, drafterDirectory }
    : undefined;
}

/** The name, without the organisation, of a repository in a cache; undefined for other folders. */
export function repositoryOf(directory: string): string | undefined {
  return /[/\\]models--[^/\\]+?--([^/\\]+)[/\\]snapshots[/\\][0-9a-f]+$/.exec(directory)?.[1];
}

export function targetAlone(targetDirectory: string): PairDirectories {
  return { targetDirectory, drafterDirectory: undefined };
}

function embeddedPair(): PairDirectories {
  return { targetDirectory: mediaPath('model/target'), drafterDirectory: mediaPath('model/drafter') };
}
