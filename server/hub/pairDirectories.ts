// Where the models of a request are: folders that a user names, downloaded known pairs and repositories, or the
// built-in pair that ships with the program. Needs no network.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../inputError';
import { mediaPath } from '../mediaPath';
import { downloadedModel, requireDownloaded } from './downloadedModel';
import { knownPairs, pairById, pairId, variantsOf } from './knownPairs';
import { isRepositoryName } from './repository';
import { cacheFolder } from './repositoryCache';

export interface PairDirectories {
  readonly targetDirectory: string;
  /** Undefined decodes without drafts. */
  readonly drafterDirectory: string | undefined;
}

/**
 * Undefined or empty names mean the built-in pair; another target has no drafter unless one is named or the target is a
 * known pair. Throws InputError for a known model that is not downloaded.
 */
export function pairDirectories(target = '', drafter = '', cache = cacheFolder(undefined)): PairDirectories {
  const usual = target === '' ? embeddedPair() : (namedModel(target, cache) ?? targetAlone(resolve(target)));
  if (drafter === '') return usual;
  if (drafter === 'none') return targetAlone(usual.targetDirectory);
  const named = namedModel(drafter, cache);
  const drafterDirectory = named?.drafterDirectory ?? named?.targetDirectory ?? resolve(drafter);
  return { ...usual, drafterDirectory };
}

/**
 * Undefined if it names neither a downloaded pair nor repository; a folder of that name takes precedence. Throws
 * InputError for a known model that is not downloaded.
 */
export function namedModel(name: string, cache: string): PairDirectories | undefined {
  if (existsSync(name)) return undefined;
  const pair = pairById(name);
  if (pair === undefined) return namedRepository(name, cache);
  for (const { repositories } of variantsOf(pair)) {
    const found = downloadedPair(repositories, cache);
    if (found) return found;
  }
  throw new InputError({
    expected: `${pair.name} in ${cache}`,
    got: 'no complete download',
    remedy: `download it with flashline models pull ${pairId(pair)}`,
  });
}

/** The folders of a target and its drafter; undefined unless both are there. */
export function downloadedPair(repositories: readonly string[], cache: string): PairDirectories | undefined {
  const [target, drafter] = repositories.map((name) => downloadedModel(cache, name)?.directory);
  return target && drafter ? { targetDirectory: target, drafterDirectory: drafter } : undefined;
}

/** The name, without the organisation, of a repository in a cache; undefined for other folders. */
export function repositoryOf(directory: string): string | undefined {
  return /[/\\]models--[^/\\]+?--([^/\\]+)[/\\]snapshots[/\\][0-9a-f]+$/.exec(directory)?.[1];
}

function namedRepository(name: string, cache: string): PairDirectories | undefined {
  if (!isRepositoryName(name)) return undefined;
  const isKnown = knownPairs.flatMap(variantsOf).some(({ repositories }) => repositories.includes(name));
  const found = isKnown ? requireDownloaded(cache, name) : downloadedModel(cache, name);
  return found && targetAlone(found.directory);
}

function embeddedPair(): PairDirectories {
  return { targetDirectory: mediaPath('model/target'), drafterDirectory: mediaPath('model/drafter') };
}

export function targetAlone(targetDirectory: string): PairDirectories {
  return { targetDirectory, drafterDirectory: undefined };
}
