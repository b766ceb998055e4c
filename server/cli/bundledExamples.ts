// The example files that come with Flashline, for `flashline demo` and benchmarks.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mediaPath } from '../machine/folders';

/** Returns the locations in the bundled example files where code is missing, as FILE:LINE:COL. */
export function bundledExamples(): string[] {
  const folder = mediaPath('examples');
  const locations: unknown = JSON.parse(readFileSync(resolve(folder, 'places.json'), 'utf8'));
  if (!Array.isArray(locations)) throw new TypeError('Expected a list in places.json');
  return locations.map((location) => resolve(folder, String(location)));
}
