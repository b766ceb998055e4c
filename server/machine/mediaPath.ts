// The media folder that ships with the program: the built-in pair and its files.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InputError } from '../rules/inputError';

/** A path inside the media folder. */
export function mediaPath(path: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'media', 'model'))) return join(folder, 'media', path);
  }
  throw new InputError({
    expected: `the media folder next to ${__dirname}`,
    got: 'none',
    remedy: 'reinstall Flashline',
  });
}
