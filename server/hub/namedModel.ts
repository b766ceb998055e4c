// The folders of models that are named rather than pointed to: known pairs and repositories that are downloaded.
// Needs no network.
import { existsSync } from 'node:fs';
import { InputError } from '../inputError';
import { knownPairs } from '../models/knownPairs';
import { downloadedModel, requireDownloaded } from './downloadedModel';
import { pairById, pairId, variantsOf } from './pairVariant';
import { isRepositoryName } from './repository';
import { cacheFolder } from './repositoryCache';

export interface NamedModel {
  readonly targetDirectory: string;
  /** Of a pair. */
  readonly drafterDirectory: string | undefined;
}

/**
 * Undefined for what names neither; a folder of that name comes first. Throws InputError for a known model that is not
 * downloaded.
 */
export function namedModel(name: string, cache = cacheFolder(undefined)): NamedModel | undefined {
  if (existsSync(name)) return undefined;
  const pair = pairById(name);
  if (pair === undefined) return namedRepository(name, cache);
  for (const { target, drafter } of variantsOf(pair)) {
    const [one, other] = [downloadedModel(cache, target), downloadedModel(cache, drafter)];
    if (one && other) return { targetDirectory: one.directory, drafterDirectory: other.directory };
  }
  throw new InputError({
    expected: `${pair.name} in ${cache}`,
    got: 'no complete download',
    remedy: `download it with flashline models pull ${pairId(pair)}`,
  });
}

/** The name, without the organisation, of what lies in a cache; undefined for other folders. */
export function repositoryOf(directory: string): string | undefined {
  return /[/\\]models--[^/\\]+?--([^/\\]+)[/\\]snapshots[/\\][0-9a-f]+$/.exec(directory)?.[1];
}

function namedRepository(name: string, cache: string): NamedModel | undefined {
  if (!isRepositoryName(name)) return undefined;
  const variants = knownPairs.flatMap(variantsOf);
  const isKnown = variants.some(({ target, drafter }) => target === name || drafter === name);
  const found = isKnown ? requireDownloaded(cache, name) : downloadedModel(cache, name);
  return found && { targetDirectory: found.directory, drafterDirectory: undefined };
}
