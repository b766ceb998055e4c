// Creates the table of the gain of drafts by kind of prompt: the rows about the built-in pair in the last table of the
// model card.
import { readFileSync } from 'node:fs';
import { markdownTable } from './markdownTable';

const PAIR = ', this pair';

export function draftingTable(): string {
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
  return markdownTable([
    ['rows', ...heads.slice(1)],
    ...rows
      .filter(([name = '']) => name.endsWith(PAIR))
      .map(([name = '', ...tokens]) => [
        name.slice(0, -PAIR.length),
        ...tokens.map((cell) => Number(cell).toFixed(2)),
      ]),
  ]);
}
