// Creates the figures on speed in README.md: a table of Flashline and llama.cpp with the same model, from the last
// results of the benchmark `peers`, and a list of the gain of drafts by kind of prompt, from the model card.
import { readFileSync } from 'node:fs';
import type { PeersReport } from '../peers/peersReport';
import { markdownTable } from './markdownTable';
import { readResult } from './resultText';

export function speedTable(): string {
  const { quiet } = readResult('peers') as PeersReport;
  const table = markdownTable([
    ['program', 'weights', 'in a new file', 'next key', 'tokens per second', 'memory'],
    ...quiet.map(({ name, weights, holeMs, keyMs, msPerToken, residentMb }) => [
      name,
      weights,
      `${holeMs.toFixed(0)} ms`,
      `${keyMs.toFixed(0)} ms`,
      (1000 / msPerToken).toFixed(0),
      `${residentMb.toFixed(0)} MB`,
    ]),
  ]);
  return [table, '', ...draftingLines()].join('\n');
}

/** Returns the gain of drafts by kind of prompt: the rows about the built-in pair in the model card's last table. */
function draftingLines(): string[] {
  const card = readFileSync('media/model/README.md', 'utf8');
  const [, figures = ''] = card.split(/^Tokens per round by rows of the block.*\n/m);
  const [heads = [], ...rows] = figures
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.includes('---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const widths = heads.slice(1).join(', ');
  return rows.flatMap(([name = '', ...tokens]) => {
    const kind = name.replace(/, this pair$/, '');
    const rounded = tokens.map((cell) => Number(cell).toFixed(2)).join(', ');
    return kind === name ? [] : [`- ${kind}, tokens per round of ${widths} rows: ${rounded}`];
  });
}
