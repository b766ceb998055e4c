// Lists the documentation pages, as paths relative to the root of the repository, in which all code of
// bench/docs runs.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const AT_THE_TOP = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const ELSEWHERE = ['media/model/README.md', 'media/model/SOURCES.md', 'training/README.md'];

export function documentationPages(): string[] {
  const inDocs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file).replaceAll('\\', '/'));
  return [...AT_THE_TOP, ...inDocs.sort(), ...ELSEWHERE];
}
