// Reads the version of the program.
import { readFileSync } from 'node:fs';
import { mediaPath } from './folders';

/** Returns the version of the program. */
export function version(): string {
  const { version: found } = JSON.parse(readFileSync(mediaPath('../package.json'), 'utf8')) as {
    version: string;
  };
  return found;
}
