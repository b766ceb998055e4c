// Why this suggestion: what the last one was made from, the parts of its prompt with their sizes.
import type { StatsRow } from '../../server/protocol/messages';
import type { PromptPart } from '../../server/rules/promptPart';
import { formatPercent } from '../../server/rules/format';
import { outcomeText } from '../status/statusTooltip';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';
import { clock } from './requestTable';

/** The row that is explained: the last one that a model wrote text for while the user waited. */
export function explainedRow(rows: readonly StatsRow[]): StatsRow | undefined {
  return rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
}

export function explanation(row: StatsRow | undefined): Html {
  if (row === undefined) return html`<p>${t('No suggestion has been computed yet.')}</p>`;
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
    row(t('Whole prompt'), 'prompt', all, promptTokens),
  ];
  return table('part-table', [[t('Part of the prompt')], [t('Tokens'), t('Share'), t('Characters')]], rows);
}

function titleOf({ name, file }: PromptPart): string {
  return {
    before: t('Text before the cursor'),
    after: t('Text after the cursor'),
    fileName: t('Name of the file'),
    otherFile: t('From {0}', file ?? ''),
    instruction: t('What the model is told to do'),
    format: t('Tokens that mark the parts'),
  }[name];
}
