// The last requests as a table, newest first. Each cell with a number also carries it unrounded in `data-value`.
// Nothing is computed here: all numbers are those of the rows.
import type { StatsRow } from '../../server/protocol';
import { formatMs, formatPercent, formatRate, formatRatio } from '../../server/rules/format';
import { outcomeText } from '../statusTooltip';
import { t } from '../translate';
import { html, table, type Html } from './html';

const SHOWN = 30;

export function requestTable(rows: readonly StatsRow[]): Html {
  if (rows.length === 0) return html`<p>${t('No request has reached the engine yet. Type in a file.')}</p>`;
  const texts = [t('Time'), t('File'), t('Kind'), t('Outcome')];
  const numbers = [
    t('Tokens/s'),
    t('First token'),
    t('Tokens per round'),
    t('Accepted'),
    t('Tokens'),
    t('Rounds'),
    t('Prompt (reused)'),
  ];
  const body = rows.slice(-SHOWN).reverse().map(tableRow);
  return html`<div class="scroll last" tabindex="0" role="region" aria-labelledby="requests-title">
    ${table('request-table', [texts, numbers], body)}
  </div>`;
}

function tableRow({ id, at, file, kind, outcome, stats, rates }: StatsRow): Html {
  const number = (name: string, value: number, text = String(value)): Html =>
    html`<td class="number" data-name="${name}" data-value="${value}">${text}</td>`;
  return html`<tr data-request="${id}">
    <th scope="row" class="text">${clock(at)}</th>
    <td class="text file" title="${file}">${file}</td>
    <td class="text">${kindText(kind)}</td>
    <td class="text">${outcomeText(outcome)}</td>
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

function kindText(kind: StatsRow['kind']): string {
  return {
    inline: t('ghost text'),
    alternative: t('alternative'),
    prefetch: t('prefetch'),
    generate: t('generate'),
    compare: t('comparison'),
  }[kind];
}

export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
