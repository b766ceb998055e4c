// The last requests as a table, newest first. Each cell with a number also carries it unrounded in `data-value`.
// Nothing is computed here: all numbers are those of the rows.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRate, formatRatio } from '../../server/rules/format';
import { outcomeText } from '../statsLines';
import type { Translate } from '../translate';
import { html, type Html } from './html';

const SHOWN = 30;

export function requestTable(rows: readonly StatsRow[], t: Translate): Html {
  if (rows.length === 0) return html`<p>${t('No request has reached the engine yet. Type in a file.')}</p>`;
  const heads = [
    t('Time'),
    t('File'),
    t('Kind'),
    t('Outcome'),
    t('Tokens/s'),
    t('First token'),
    t('Tokens per round'),
    t('Accepted'),
    t('Tokens'),
    t('Rounds'),
    t('Prompt (reused)'),
  ];
  const body = rows
    .slice(-SHOWN)
    .reverse()
    .map((row) => tableRow(row, t));
  return html`<div class="scroll last" tabindex="0" role="region" aria-labelledby="requests-title">
    <table id="request-table">
      <thead>
        <tr>
          ${heads.map((head, i) => html`<th scope="col" class="${i >= 4 ? 'number' : 'text'}">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

function tableRow({ id, at, file, kind, outcome, stats, rates }: StatsRow, t: Translate): Html {
  const number = (name: string, value: number, text = String(value)): Html =>
    html`<td class="number" data-name="${name}" data-value="${value}">${text}</td>`;
  return html`<tr data-request="${id}">
    <th scope="row" class="text">${clock(at)}</th>
    <td class="text file" title="${file}">${file}</td>
    <td class="text">${kindText(kind, t)}</td>
    <td class="text">${outcomeText(outcome, t)}</td>
    ${[
      number('decodeTokensPerSecond', rates.decodeTokensPerSecond, formatRate(rates.decodeTokensPerSecond)),
      number('timeToFirstTokenMs', stats.timeToFirstTokenMs, formatMs(stats.timeToFirstTokenMs)),
      number('tokensPerRound', rates.tokensPerRound, formatRatio(rates.tokensPerRound)),
      number('acceptanceRate', rates.acceptanceRate, formatPercent(rates.acceptanceRate)),
      number('emittedTokens', stats.emittedTokens),
      number('rounds', stats.rounds),
      number('promptTokens', stats.promptTokens, t('{0} ({1})', stats.promptTokens, stats.reusedTokens)),
    ]}
  </tr>`;
}

function kindText(kind: StatsRow['kind'], t: Translate): string {
  switch (kind) {
    case 'inline':
      return t('ghost text');
    case 'alternative':
      return t('alternative');
    case 'prefetch':
      return t('prefetch');
    case 'generate':
      return t('generate');
    case 'compare':
      return t('comparison');
  }
}

export function clock(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((value) => String(value).padStart(2, '0'))
    .join(':');
}
