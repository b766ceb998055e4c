// How often the first, second, ... draft of a round was accepted, as bars of the share of those verified.
// Sums counters over all rows; a share of sums, not a mean of shares.
import type { StatsRow } from '../../server/protocol';
import { formatPercent } from '../../server/rules/format';
import type { Translate } from '../translate';
import { html, type Html } from './html';

export interface PositionCount {
  readonly accepted: number;
  readonly drafted: number;
}

const BAR = 15;
const GAP = 5;
const HEIGHT = 52;
const LABELS = 30;

export function positionCounts(rows: readonly StatsRow[]): PositionCount[] {
  const length = Math.max(0, ...rows.map(({ stats }) => stats.draftedByPosition.length));
  return Array.from({ length }, (_, i) => ({
    accepted: sum(rows, ({ stats }) => stats.acceptedByPosition[i] ?? 0),
    drafted: sum(rows, ({ stats }) => stats.draftedByPosition[i] ?? 0),
  }));
}

export function positionBars(rows: readonly StatsRow[], t: Translate): Html {
  const counts = positionCounts(rows);
  if (counts.length === 0) return html`<p>${t('No drafts have been verified yet.')}</p>`;
  const words = counts.map(({ accepted, drafted }, i) =>
    t('{0}: {1} of {2}', i + 1, accepted, `${drafted} (${formatPercent(share({ accepted, drafted }))})`),
  );
  const width = counts.length * (BAR + GAP) + GAP;
  const bars = counts.map((count, i) => {
    const x = GAP + i * (BAR + GAP);
    const height = Math.round(share(count) * HEIGHT * 10) / 10;
    const middle = x + BAR / 2;
    return html`<g data-position="${i + 1}" data-accepted="${count.accepted}" data-drafted="${count.drafted}">
      <title>${words[i] ?? ''}</title>
      <rect class="track" x="${x}" y="0" width="${BAR}" height="${HEIGHT}" />
      <rect class="bar" x="${x}" y="${HEIGHT - height}" width="${BAR}" height="${height}" />
      <text x="${middle}" y="${HEIGHT + 12}" text-anchor="middle">${i + 1}</text>
      <text class="small" x="${middle}" y="${HEIGHT + 25}" text-anchor="middle">
        ${(100 * share(count)).toFixed(0)}
      </text>
    </g>`;
  });
  const label = t('Accepted drafts by position in the round: {0}', words.join('; '));
  return html`<svg
      id="position-bars"
      class="bars"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${width} ${HEIGHT + LABELS}"
      width="${width}"
      height="${HEIGHT + LABELS}"
    >
      ${bars}
    </svg>
    <p class="words" aria-hidden="true">${t('position; percent accepted of those verified')}</p>`;
}

function share({ accepted, drafted }: PositionCount): number {
  return drafted > 0 ? accepted / drafted : 0;
}

function sum(rows: readonly StatsRow[], count: (row: StatsRow) => number): number {
  return rows.reduce((total, row) => total + count(row), 0);
}
