// `npm run docs`: writes the pages, that is the blocks of README.md and docs/ that come from elsewhere: from package.json,
// from --help, from the list of known pairs, and from what the benchmarks measured last (bench/results/).
import { readFileSync, writeFileSync } from 'node:fs';
import { blockText } from './blockText';
import { documentationPages } from './documentationPages';
import { withGeneratedBlocks } from './generatedBlocks';

export const HELP = 'Writes the generated blocks of README.md and docs/.';

export function run(): void {
  for (const page of documentationPages()) {
    const text = readFileSync(page, 'utf8');
    const current = withGeneratedBlocks(text, blockText);
    if (current === text) continue;
    writeFileSync(page, current);
    process.stderr.write(`${page}\n`);
  }
}
