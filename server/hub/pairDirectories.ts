// Where the models of a request lie: folders that a person points to, known pairs and repositories that are downloaded
// and named, or the embedded pair beside the program. Needs no network.
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
 * Undefined or empty names mean the embedded model; a target of one's own has no drafter unless one is named, or it is
 * a known pair. Throws InputError for a known model that is not downloaded.
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
 * Undefined for what names neither a pair nor a repository; a folder of that name comes first. Throws InputError for a
 * known model that is not downloaded.
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

/** Of a target and its drafter; undefined unless both are there. */
export function downloadedPair(repositories: readonly string[], cache: string): PairDirectories | undefined {
  const [target, drafter] = repositories.map((name) => downloadedModel(cache, name)?.directory);
  return target && drafter ? { targetDirectory: target, drafterDirectory: drafter } : undefined;
}

/** The name, without the organisation, of what lies in a cache; undefined for other folders. */
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
