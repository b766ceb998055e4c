// Why this suggestion: what the last one was made from and what it took. The parts of its prompt with their sizes, what
// of it was still in memory, the time of each step, and the drafts that were accepted.
import type { StatsRow } from '../../server/protocol/messages';
import type { PromptPart } from '../../server/rules/promptPart';
import { formatMs, formatPercent } from '../../server/rules/format';
import { outcomeText } from '../status/statusTooltip';
import { t } from '../translate';
import { html, numberCell, table, type Html } from './html';
import { ledger, type LedgerLine } from './ledger';
import { clock } from './requestTable';

/** The row that is explained: the last one that a model wrote text for while the user waited. */
export function explainedRow(rows: readonly StatsRow[]): StatsRow | undefined {
  return rows.findLast(({ kind, prompt }) => kind === 'inline' && prompt !== undefined);
}

export function explanation(row: StatsRow | undefined): Html {
  if (row === undefined) return html`<p>${t('No suggestion has been computed yet.')}</p>`;
  const { at, file, outcome, prompt = [], stats } = row;
  return html`<p class="words" data-request="${row.id}">${clock(at)} ${file}: ${outcomeText(outcome)}</p>
    <div class="columns">
      <div class="scroll">${partTable(prompt, stats.promptTokens)}</div>
      <div class="scroll">${stepTable(row)}</div>
    </div>`;
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

/** Lines of the ledger that tell of one request, in the order in which things happen. */
const STEPS = ['reusedTokens', 'prefillMs', 'draftMs', 'verifyMs', 'rounds', 'accepted'];

function stepTable(row: StatsRow): Html {
  const lines = ledger([row]);
  const waits: readonly LedgerLine[] = [
    {
      name: 'pausedMs',
      title: t('Wait for a pause'),
      hint: t('Time that it waited for a pause in typing (flashline.debounceMs).'),
      value: row.pausedMs ?? 0,
      format: formatMs,
    },
    {
      name: 'queuedMs',
      title: t('Wait for others'),
      hint: t('Time that it waited for steps of other requests.'),
      value: row.stats.queuedMs,
      format: formatMs,
    },
  ];
  const first: LedgerLine = {
    name: 'timeToFirstTokenMs',
    title: t('First token'),
    hint: t('Time from the request to its first token, waiting included.'),
    value: row.stats.timeToFirstTokenMs,
    format: formatMs,
  };
  const steps = [
    ...waits,
    ...STEPS.flatMap((name) => [
      ...lines.filter((line) => line.name === name),
      ...(name === 'prefillMs' ? [first] : []),
    ]),
  ];
  const body = steps.map(
    ({ name, title, hint, value, format }) =>
      html`<tr data-name="${name}">
        <th scope="row" class="text" title="${hint}">${title}</th>
        ${numberCell(value, format)}
      </tr>`,
  );
  return table('step-table', [[t('Step')], [t('This request')]], body);
}
