// Where the models of a request lie: those that a person names, or the embedded pair beside the program.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from './inputError';

export interface PairDirectories {
  readonly targetDirectory: string;
  /** Undefined decodes without drafts. */
  readonly drafterDirectory: string | undefined;
}

/** Undefined or empty names mean the embedded model; a target of one's own has no drafter unless one is named. */
export function pairDirectories(target: string | undefined, drafter: string | undefined): PairDirectories {
  const embedded = target === undefined || target === '';
  const embeddedDrafter = embedded ? mediaPath('model/drafter') : undefined;
  return {
    targetDirectory: embedded ? mediaPath('model/target') : resolve(target),
    drafterDirectory:
      drafter === 'none'
        ? undefined
        : drafter === undefined || drafter === ''
          ? embeddedDrafter
          : resolve(drafter),
  };
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
