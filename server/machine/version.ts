// Reads the program's version from its package.json.
import { readFileSync } from 'node:fs';
import { mediaPath } from './folders';

export function version(): string {
  const text = readFileSync(mediaPath('../package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
