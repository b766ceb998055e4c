// Explanation of the last suggestion: a table of the parts of its prompt.
import type { StatsRow } from '../../server/protocol/messages';
import { formatPercent } from '../../server/rules/formatNumber';
import type { PartSize } from '../../server/rules/partSize';
import { outcomeText } from '../status/outcomeText';
import { html, numberCell, table, type Html } from './html';
import { clock } from './requestTable';

/** Returns the row to explain: the last request for ghost text whose prompt parts are known. */
export function explainedRow(rows: readonly StatsRow[]): StatsRow | undefined {
  return rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
}

export function explanation(row: StatsRow | undefined): Html {
  if (row === undefined) return html`<p>No suggestion has been computed yet.</p>`;
  const { at, file, outcome, prompt = [], stats } = row;
  return html`<p class="words" data-request="${row.id}">${clock(at)} ${file}: ${outcomeText(outcome)}</p>
    <div class="scroll">${partTable(prompt, stats.promptTokens)}</div>`;
}

function partTable(parts: readonly PartSize[], promptTokens: number | null): Html {
  const row = (title: string, name: string, characters: number, tokens: number | null): Html => {
    const share = tokens === null || !promptTokens ? null : tokens / promptTokens;
    return html`<tr data-part="${name}">
      <th scope="row" class="text">${title}</th>
      ${[numberCell(tokens), numberCell(share, formatPercent), numberCell(characters)]}
    </tr>`;
  };
  const all = parts.reduce((sum, { characters }) => sum + characters, 0);
  const rows = [
    ...parts.map((part) => row(titleOf(part), part.name, part.characters, part.tokens)),
    row('Whole prompt', 'prompt', all, promptTokens),
  ];
  return table('part-table', [['Part of the prompt'], ['Tokens', 'Share', 'Characters']], rows);
}

function titleOf({ name, file }: PartSize): string {
  return {
    before: 'Text before the cursor',
    after: 'Text after the cursor',
    fileName: 'Name of the file',
    otherFile: `From ${file ?? ''}`,
    instruction: 'Instruction to the model',
    format: 'Tokens that mark the parts',
  }[name];
}
