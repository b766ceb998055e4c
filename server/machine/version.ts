// The version of the program.
import { readFileSync } from 'node:fs';
import { mediaPath } from './mediaPath';

export function version(): string {
  const { version: found } = JSON.parse(readFileSync(mediaPath('../package.json'), 'utf8')) as {
    version: string;
  };
  return found;
}
