// Output of a request by round and token: accepted from the draft, written by the target, or from prefill. Sources
// differ by frame and line style, not by colour alone.
import type { StatsRow, TokenPiece } from '../../server/protocol/messages';
import { html, type Html } from './html';

const MAX_ROUNDS = 200;
const SOURCES: readonly TokenPiece['source'][] = ['prefill', 'draft', 'target'];

/** Renders the rounds of a request; `row` is undefined if no request has any. */
export function roundList(row: StatsRow | undefined): Html {
  if (row === undefined) return html`<p>No request has produced text yet.</p>`;
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

/** Makes white space visible, since it shows where a token begins. */
function visible(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll('\n', '\u21B5')
    .replaceAll('\t', '\u2192')
    .replaceAll(' ', '\u00B7');
}

/** Describes the source of a token. */
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
