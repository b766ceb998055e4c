// `npm run docs`: updates the generated blocks of the documentation from package.json, --help, the list of known pairs
// and the last results of the benchmarks (bench/results/).
import { readFileSync, writeFileSync } from 'node:fs';
import { blockText } from './blockText';
import { documentationPages } from './documentationPages';
import { withGeneratedBlocks } from './generatedBlocks';

export const HELP = 'Writes the generated blocks of the documentation pages, such as README.md and docs/.';

export function run(): void {
  for (const page of documentationPages()) {
    const text = readFileSync(page, 'utf8');
    const current = withGeneratedBlocks(text, blockText);
    if (current === text) continue;
    writeFileSync(page, current);
    process.stderr.write(`${page}\n`);
  }
}
