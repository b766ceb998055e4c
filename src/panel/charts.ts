// The charts of the panel as SVG: a line over time, and bars by position; each also in words, for those who cannot see
// it. Geometry and sums are separate from the drawing, so that they can be tested as numbers.
import type { StatsRow } from '../../server/protocol';
import { formatPercent } from '../../server/rules/format';
import { t } from '../translate';
import { html, type Html } from './html';

const WIDTH = 320;
const HEIGHT = 88;
const MARGIN = { left: 56, right: 6, top: 8, bottom: 8 };
const BAR = 15;
const GAP = 5;
const BAR_HEIGHT = 52;
const LABELS = 30;

type Texts = NonNullable<ReturnType<typeof quantiles>>;

export interface LineChart {
  readonly id: string;
  /** `name` says where a point comes from, in its tooltip. */
  readonly points: readonly { readonly value: number; readonly name: string }[];
  readonly format: (value: number) => string;
  /** The line below the chart. */
  readonly caption: (numbers: Texts) => string;
  /** The chart in words. */
  readonly words: (numbers: Texts) => string;
}

export function lineGeometry(values: readonly number[]) {
  const top = niceTop(Math.max(0, ...values));
  const step = (WIDTH - MARGIN.left - MARGIN.right) / Math.max(1, values.length - 1);
  return {
    top,
    x: (index: number) => rounded(MARGIN.left + index * step),
    y: (value: number) => rounded(MARGIN.top + (1 - value / top) * (HEIGHT - MARGIN.top - MARGIN.bottom)),
  };
}

export function lineChart({ id, points, format, caption, words }: LineChart): Html {
  const values = points.map(({ value }) => value);
  const texts = quantiles(values, format);
  if (texts === undefined) return html``;
  const { top, x, y } = lineGeometry(values);
  const grid = [0, top / 2, top].map(
    (tick) =>
      html`<line
          class="grid"
          x1="${MARGIN.left}"
          x2="${WIDTH - MARGIN.right}"
          y1="${y(tick)}"
          y2="${y(tick)}"
        /><text x="${MARGIN.left - 6}" y="${y(tick) + 4}" text-anchor="end">${format(tick)}</text>`,
  );
  const dots = points.map(
    ({ value, name }, i) =>
      html`<circle cx="${x(i)}" cy="${y(value)}" r="2.5" data-value="${value}">
        <title>${name}: ${format(value)}</title>
      </circle>`,
  );
  return html`<svg
      id="${id}"
      class="chart"
      role="img"
      aria-label="${words(texts)}"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
    >
      ${grid}
      <polyline class="line" points="${values.map((value, i) => `${x(i)},${y(value)}`).join(' ')}" />
      ${dots}
    </svg>
    <p class="words" aria-hidden="true">${caption(texts)}</p>`;
}

/** The next of 1, 2, 5, 10, 20, 50, ... */
function niceTop(highest: number): number {
  if (highest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= highest) ?? 10);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Sums over all rows: how often the first, second, ... draft token of a round was verified and accepted. */
export function positionCounts(rows: readonly StatsRow[]): { accepted: number; drafted: number }[] {
  const sum = (count: (row: StatsRow) => number): number =>
    rows.reduce((total, row) => total + count(row), 0);
  const length = Math.max(0, ...rows.map(({ stats }) => stats.draftedByPosition.length));
  return Array.from({ length }, (_, i) => ({
    accepted: sum(({ stats }) => stats.acceptedByPosition[i] ?? 0),
    drafted: sum(({ stats }) => stats.draftedByPosition[i] ?? 0),
  }));
}

export function positionBars(rows: readonly StatsRow[]): Html {
  const counts = positionCounts(rows);
  if (counts.length === 0) return html`<p>${t('No draft tokens have been verified yet.')}</p>`;
  const words = counts.map((count, i) =>
    t('{0}: {1} of {2}', i + 1, count.accepted, `${count.drafted} (${formatPercent(share(count))})`),
  );
  const width = counts.length * (BAR + GAP) + GAP;
  const bars = counts.map((count, i) => {
    const x = GAP + i * (BAR + GAP);
    const height = rounded(share(count) * BAR_HEIGHT);
    const middle = x + BAR / 2;
    return html`<g data-position="${i + 1}" data-accepted="${count.accepted}" data-drafted="${count.drafted}">
      <title>${words[i] ?? ''}</title>
      <rect class="track" x="${x}" y="0" width="${BAR}" height="${BAR_HEIGHT}" />
      <rect class="bar" x="${x}" y="${BAR_HEIGHT - height}" width="${BAR}" height="${height}" />
      <text x="${middle}" y="${BAR_HEIGHT + 12}" text-anchor="middle">${i + 1}</text>
      <text class="small" x="${middle}" y="${BAR_HEIGHT + 25}" text-anchor="middle">
        ${(100 * share(count)).toFixed(0)}
      </text>
    </g>`;
  });
  const label = t('Accepted draft tokens by position in the draft: {0}', words.join('; '));
  return html`<svg
      id="position-bars"
      class="bars"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${width} ${BAR_HEIGHT + LABELS}"
      width="${width}"
      height="${BAR_HEIGHT + LABELS}"
    >
      ${bars}
    </svg>
    <p class="words" aria-hidden="true">
      ${t('position in the draft; below it, % accepted of those verified')}
    </p>`;
}

function share({ accepted, drafted }: { accepted: number; drafted: number }): number {
  return drafted > 0 ? accepted / drafted : 0;
}

/**
 * Middle and extremes of a series, for the words next to a chart. A quantile is the smallest value that at least that
 * share of the series does not exceed.
 */
export function quantiles(values: readonly number[], format: LineChart['format']) {
  const latest = values.at(-1);
  if (latest === undefined) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    format(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? latest);
  return { latest: format(latest), median: at(0.5), p95: at(0.95), lowest: at(0), highest: at(1) };
}
