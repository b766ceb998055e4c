// The output of a request round by round and token by token: accepted from the draft, written by the target, or
// from prefill. They differ by frame and line style, not by colour alone.
import type { StatsRow, TokenPiece } from '../../server/protocol/messages';
import { html, type Html, known, table } from './html';
import { formatMs, formatPercent, formatRate, formatRatio } from '../../server/rules/numbers';
import { measuredRate } from '../status/measuredRate';
import { outcomeText } from '../status/statusBar';

const MAX_ROUNDS = 200;
const SOURCES: readonly TokenPiece['source'][] = ['prefill', 'draft', 'target'];

export function roundList(row: StatsRow | undefined): Html {
  if (row === undefined || row.rounds.length === 0) return html`<p>No request has produced text yet.</p>`;
  const rounds = row.rounds.slice(0, MAX_ROUNDS);
  // Prefill is not a round; without its token the first entry is round 1.
  const offset = rounds[0]?.[0]?.source === 'prefill' ? 0 : 1;
  const items = rounds.map((pieces, i) => {
    const drafts = pieces.filter(({ source }) => source === 'draft').length;
    const text = pieces.map((piece) => piece.text).join('');
    const round = i + offset;
    const counts = `${drafts} from the draft, ${pieces.length - drafts} from the target`;
    const [head, label] =
      round === 0
        ? ['Prefill', `Prefill: ${text.trim()}`]
        : [`Round ${round}`, `Round ${round}: ${counts}: ${text.trim()}`];
    const tokens = pieces.map(
      ({ text, source }) =>
        html`<span class="token ${source}" title="${sourceName(source)}">${visible(text)}</span>`,
    );
    return html`<li>
      <span class="hidden">${label}</span
      ><span aria-hidden="true"><span class="round">${head}</span>${tokens}</span>
    </li>`;
  });
  const legend = SOURCES.map(
    (source) =>
      html`<li><span class="token ${source}" aria-hidden="true">abc</span> ${sourceName(source)}</li>`,
  );
  const more = row.rounds.length - rounds.length;
  return html`<ul class="legend">
      ${legend}
    </ul>
    <ol
      id="rounds"
      class="rounds"
      tabindex="0"
      aria-labelledby="last-rounds-title"
      data-request="${row.id}"
      data-rounds="${row.stats.rounds ?? ''}"
    >
      ${items}
    </ol>
    ${more > 0 ? html`<p>... and ${more} more rounds</p>` : html``}`;
}

/** Makes white space visible: it matters where a token begins. */
function visible(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll('\n', '\u21B5')
    .replaceAll('\t', '\u2192')
    .replaceAll(' ', '\u00B7');
}

/** Who wrote a token, in words. */
function sourceName(source: TokenPiece['source']): string {
  switch (source) {
    case 'prefill':
      return 'from prefill (reading the prompt)';
    case 'draft':
      return 'draft token, accepted by the target';
    case 'target':
      return 'written by the target: corrects a draft token or follows the last one';
  }
}

// The last requests as a table, newest first. Each cell with a number also carries it unrounded in `data-value`.
// Nothing is computed here: all numbers come from the rows.

const SHOWN = 30;

export function requestTable(rows: readonly StatsRow[]): Html {
  if (rows.length === 0) return html`<p>No requests yet. Type in a file to make one.</p>`;
  const texts = ['Time', 'File', 'Kind', 'Outcome'];
  const numbers = [
    {
      title: 'Tokens/s',
      hint: 'Tokens per second while decoding, without reading the prompt; unknown for less than nine tokens.',
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
  const body = rows.slice(-SHOWN).reverse().map(tableRow);
  return html`<div class="scroll last" tabindex="0" role="region" aria-labelledby="requests-title">
    ${table('request-table', [texts, numbers], body)}
  </div>`;
}

function tableRow(row: StatsRow): Html {
  const { id, at, file, kind, outcome, stats, rates } = row;
  const number = (name: string, value: number | null, format?: (value: number) => string): Html =>
    html`<td class="number" data-name="${name}" data-value="${value ?? ''}">${known(value, format)}</td>`;
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
      number('promptTokens', stats.promptTokens, (count) => `${count} (${known(stats.reusedTokens)})`),
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

export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
