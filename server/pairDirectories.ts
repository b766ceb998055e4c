// Where the models of a request lie: folders or downloaded models that a person names, or the embedded pair beside the
// program.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { namedModel } from './hub/namedModel';
import { InputError } from './inputError';

export interface PairDirectories {
  readonly targetDirectory: string;
  /** Undefined decodes without drafts. */
  readonly drafterDirectory: string | undefined;
}

/**
 * Undefined or empty names mean the embedded model; a target of one's own has no drafter unless one is named, or it is
 * a known pair. Throws InputError for a known model that is not downloaded.
 */
export function pairDirectories(target: string | undefined, drafter: string | undefined): PairDirectories {
  const own = target === undefined || target === '' ? undefined : (namedModel(target) ?? ownFolder(target));
  const usual = own === undefined ? mediaPath('model/drafter') : own.drafterDirectory;
  return {
    targetDirectory: own?.targetDirectory ?? mediaPath('model/target'),
    drafterDirectory: drafterDirectory(drafter, usual),
  };
}

function drafterDirectory(name: string | undefined, usual: string | undefined): string | undefined {
  if (name === undefined || name === '') return usual;
  if (name === 'none') return undefined;
  const named = namedModel(name);
  return named?.drafterDirectory ?? named?.targetDirectory ?? resolve(name);
}

function ownFolder(path: string): PairDirectories {
  return { targetDirectory: resolve(path), drafterDirectory: undefined };
}

/** A path inside the media folder that is shipped beside the program. */
export function mediaPath(path: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'media', 'model'))) return join(folder, 'media', path);
  }
  throw new InputError({
    expected: `the media folder beside ${__dirname}`,
    got: 'none',
    remedy: 'install Flashline again',
  });
}
