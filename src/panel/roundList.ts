// The output of a request round by round and token by token: accepted from the draft, written by the target, or
// from prefill. They differ by frame and line style, not by colour alone.
import type { StatsRow, TokenPiece } from '../../server/protocol/messages';
import { t } from '../translate';
import { html, type Html } from './html';

const MAX_ROUNDS = 200;
const SOURCES: readonly TokenPiece['source'][] = ['prefill', 'draft', 'target'];

export function roundList(row: StatsRow | undefined): Html {
  if (row === undefined || row.rounds.length === 0)
    return html`<p>${t('No request has produced text yet.')}</p>`;
  const rounds = row.rounds.slice(0, MAX_ROUNDS);
  // Prefill is not a round; without its token the first entry is round 1.
  const offset = rounds[0]?.[0]?.source === 'prefill' ? 0 : 1;
  const items = rounds.map((pieces, i) => {
    const drafts = pieces.filter(({ source }) => source === 'draft').length;
    const text = pieces.map((piece) => piece.text).join('');
    const round = i + offset;
    const counts = [round, drafts, pieces.length - drafts, text.trim()];
    const [head, label] =
      round === 0
        ? [t('Prefill'), t('Prefill: {0}', text.trim())]
        : [t('Round {0}', round), t('Round {0}: {1} from the draft, {2} from the target: {3}', ...counts)];
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
    ${more > 0 ? html`<p>${t('... and {0} more rounds', more)}</p>` : html``}`;
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
      return t('from prefill (reading the prompt)');
    case 'draft':
      return t('draft token, accepted by the target');
    case 'target':
      return t('written by the target: corrects a draft token or follows the last one');
  }
}
