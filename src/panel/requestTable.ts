// The last requests as a table, newest first. Each cell with a number also carries it unrounded in `data-value`.
// Nothing is computed here: all numbers come from the rows.
import type { StatsRow } from '../../server/protocol/messages';
import { formatMs, formatPercent, formatRate, formatRatio } from '../../server/rules/format';
import { outcomeText } from '../status/statusTooltip';
import { known, html, table, type Html } from './html';
import { t } from '../translate';

const SHOWN = 30;

export function requestTable(rows: readonly StatsRow[]): Html {
  if (rows.length === 0) return html`<p>${t('No requests yet. Type in a file to make one.')}</p>`;
  const texts = [t('Time'), t('File'), t('Kind'), t('Outcome')];
  const numbers = [
    { title: t('Tokens/s'), hint: t('Tokens per second while decoding, without reading the prompt.') },
    { title: t('First token'), hint: t('Time from the request to its first token, waiting included.') },
    {
      title: t('Tokens per round'),
      hint: t('Tokens per pass of the target, on average. Plain decoding has 1.'),
    },
    { title: t('Accepted'), hint: t('Share of the verified draft tokens that the target agreed with.') },
    { title: t('Tokens'), hint: t('Tokens of the output.') },
    { title: t('Rounds'), hint: t('A round is a draft and one pass of the target that verifies it.') },
    {
      title: t('Prompt (reused)'),
      hint: t('Prompt tokens, and how many of them were still in the KV cache and not read again.'),
    },
  ];
  const body = rows.slice(-SHOWN).reverse().map(tableRow);
  return html`<div class="scroll last" tabindex="0" role="region" aria-labelledby="requests-title">
    ${table('request-table', [texts, numbers], body)}
  </div>`;
}

function tableRow({ id, at, file, kind, outcome, stats, rates }: StatsRow): Html {
  const number = (name: string, value: number | null, format?: (value: number) => string): Html =>
    html`<td class="number" data-name="${name}" data-value="${value ?? ''}">${known(value, format)}</td>`;
  return html`<tr data-request="${id}">
    <th scope="row" class="text">${clock(at)}</th>
    <td class="text file" title="${file}">${file}</td>
    <td class="text">${kindText(kind)}</td>
    <td class="text">${outcomeText(outcome)}</td>
    ${[
      number('decodeTokensPerSecond', rates.decodeTokensPerSecond, formatRate),
      number('timeToFirstTokenMs', stats.timeToFirstTokenMs, formatMs),
      number('tokensPerRound', rates.tokensPerRound, formatRatio),
      number('acceptanceRate', rates.acceptanceRate, formatPercent),
      number('emittedTokens', stats.emittedTokens),
      number('rounds', stats.rounds),
      number('promptTokens', stats.promptTokens, (count) => t('{0} ({1})', count, known(stats.reusedTokens))),
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
