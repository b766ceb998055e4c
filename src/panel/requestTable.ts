// Table of the last requests, newest first. Computes nothing: each number comes from a row, and its cell carries it
// unrounded in `data-value`.
import type { StatsRow } from '../../server/protocol/messages';
import { type Html, html, table, valueText } from './html';
import { outcomeText } from '../status/outcomeText';
import { measuredRate } from '../status/measuredRate';
import { formatRate, formatMs, formatRatio, formatPercent } from '../../server/rules/formatNumber';

const MAX_ROWS = 30;

export function requestTable(rows: readonly StatsRow[]): Html {
  if (rows.length === 0) return html`<p>No requests yet. Type in a file to make one.</p>`;
  const texts = ['Time', 'File', 'Kind', 'Outcome'];
  const numbers = [
    {
      title: 'Tokens/s',
      hint: 'Tokens per second while decoding, without reading the prompt; unknown for fewer than nine tokens.',
    },
    { title: 'First token', hint: 'Time from the request to its first token, waiting included.' },
    {
      title: 'Tokens per round',
      hint: 'Tokens per pass of the target, on average. Plain decoding has 1.',
    },
    { title: 'Accepted', hint: 'Share of the verified draft tokens that the target agreed with.' },
    { title: 'Tokens', hint: 'Tokens of the output.' },
    { title: 'Rounds', hint: 'A round is a draft and one pass of the target that verifies it.' },
    {
      title: 'Prompt (reused)',
      hint: 'Prompt tokens, and how many of them were still in the KV cache and not read again.',
    },
  ];
  const body = rows.slice(-MAX_ROWS).reverse().map(tableRow);
  return html`<div class="scroll last" tabindex="0" role="region" aria-labelledby="requests-title">
    ${table('request-table', [texts, numbers], body)}
  </div>`;
}

function tableRow(row: StatsRow): Html {
  const { id, at, file, kind, outcome, stats, rates } = row;
  const number = (name: string, value: number | null, format?: (value: number) => string): Html =>
    html`<td class="number" data-name="${name}" data-value="${value ?? ''}">${valueText(value, format)}</td>`;
  return html`<tr data-request="${id}">
    <th scope="row" class="text">${clock(at)}</th>
    <td class="text file" title="${file}">${file}</td>
    <td class="text">${kindText(kind)}</td>
    <td class="text">${outcomeText(outcome)}</td>
    ${[
      number('decodeTokensPerSecond', measuredRate(row), formatRate),
      number('timeToFirstTokenMs', stats.timeToFirstTokenMs, formatMs),
      number('tokensPerRound', rates.tokensPerRound, formatRatio),
      number('acceptanceRate', rates.acceptanceRate, formatPercent),
      number('emittedTokens', stats.emittedTokens),
      number('rounds', stats.rounds),
      number('promptTokens', stats.promptTokens, (count) => `${count} (${valueText(stats.reusedTokens)})`),
    ]}
  </tr>`;
}

function kindText(kind: StatsRow['kind']): string {
  return {
    inline: 'ghost text',
    alternative: 'alternative',
    nextEdit: 'next edit',
    prefetch: 'prefetch',
    generate: 'generate',
    compare: 'comparison',
  }[kind];
}

/** Formats a time, in ms since 1970, as the local time of day, such as 14:05:09. */
export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
