// Sections of the statistics panel that change with each request.
import type { StatsRow } from '../../server/protocol/messages';
import type { AcceptedByDay } from '../ghostText/acceptedByDay';
import { acceptedTable } from './acceptedTable';
import { requestTable, clock } from './requestTable';
import { roundList } from './roundList';
import { ledgerTable } from './ledger';
import { type Html, html, numberCell, table } from './html';
import { outcomeText } from '../status/outcomeText';
import type { PromptPart } from '../../server/rules/promptPart';
import { formatPercent } from '../../server/rules/formatNumber';

const MAX_ROWS = 100;

/** Returns the HTML of each section by the id of its element. */
export function sections(rows: readonly StatsRow[], accepted: AcceptedByDay = {}) {
  const userRows = rows.filter(isUserRequest);
  return {
    accepted: acceptedTable(accepted).text,
    requests: requestTable(rows).text,
    why: explanation(explainedRow(userRows)).text,
    'last-rounds': roundList(userRows.findLast(({ rounds }) => rounds.length > 0)).text,
    ledger: userRows.length === 0 ? '' : ledgerTable(userRows).text,
  };
}

/**
 * Joins two lists of rows, such as the server's history and later rows: the last MAX_ROWS, oldest first, without
 * duplicates. A restarted server counts its ids from the start, so a row is identified by id and time.
 */
export function rowHistory(rows: readonly StatsRow[], more: readonly StatsRow[]): StatsRow[] {
  const byKey = new Map([...rows, ...more].map((row) => [`${row.at}#${row.id}`, row]));
  return [...byKey.values()].sort((a, b) => a.at - b.at || a.id - b.id).slice(-MAX_ROWS);
}

/**
 * Returns whether the user made the request: not for a prefetch, an alternative, which belongs to another request, or a
 * comparison, which repeats one.
 */
export function isUserRequest({ kind }: StatsRow): boolean {
  return kind === 'inline' || kind === 'nextEdit' || kind === 'generate';
}

/** Returns the row to explain: the last inline request of which the parts of the prompt are known. */
export function explainedRow(rows: readonly StatsRow[]): StatsRow | undefined {
  return rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
}

export function explanation(row: StatsRow | undefined): Html {
  if (row === undefined) return html`<p>No suggestion has been computed yet.</p>`;
  const { at, file, outcome, prompt = [], stats } = row;
  return html`<p class="words" data-request="${row.id}">${clock(at)} ${file}: ${outcomeText(outcome)}</p>
    <div class="scroll">${partTable(prompt, stats.promptTokens)}</div>`;
}

function partTable(parts: readonly PromptPart[], promptTokens: number | null): Html {
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

function titleOf({ name, file }: PromptPart): string {
  return {
    before: 'Text before the cursor',
    after: 'Text after the cursor',
    fileName: 'Name of the file',
    otherFile: `From ${file ?? ''}`,
    instruction: 'Instruction to the model',
    format: 'Tokens that mark the parts',
  }[name];
}
