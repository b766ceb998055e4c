// The media folder that is shipped beside the program: the embedded pair, and what belongs to it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InputError } from './inputError';

/** A path inside of it. */
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
