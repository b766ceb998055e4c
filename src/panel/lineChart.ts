// A series over time as an SVG line with a scale from zero, and the same in words for those who do not see it.
// The geometry is separate from the drawing, so that it can be tested as numbers.
import { html, type Html } from './html';
import { quantiles, type Quantiles } from './quantiles';

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

export interface LineGeometry {
  readonly top: number;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly ticks: readonly { readonly y: number; readonly value: number }[];
}

export interface LineChart {
  readonly id: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Where a point comes from, for its own tooltip. */
  readonly names: readonly string[];
  /** The line below the chart. */
  readonly caption: (numbers: Quantiles) => string;
  /** The chart in words. */
  readonly words: (numbers: Quantiles) => string;
}

const SIZE: ChartSize = { width: 320, height: 88 };
const MARGIN = { left: 56, right: 6, top: 8, bottom: 8 };

export function lineGeometry(values: readonly number[], { width, height }: ChartSize): LineGeometry {
  const top = niceTop(Math.max(0, ...values));
  const y = (value: number): number =>
    rounded(MARGIN.top + (1 - value / top) * (height - MARGIN.top - MARGIN.bottom));
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, values.length - 1);
  return {
    top,
    points: values.map((value, i) => ({ x: rounded(MARGIN.left + i * step), y: y(value) })),
    ticks: [0, top / 2, top].map((value) => ({ y: y(value), value })),
  };
}

export function lineChart({ id, values, format, names, caption, words }: LineChart): Html {
  const numbers = quantiles(values);
  if (numbers === undefined) return html``;
  const { points, ticks } = lineGeometry(values, SIZE);
  const label = words(numbers);
  const grid = ticks.map(
    ({ y, value }) =>
      html`<line
          class="grid"
          x1="${MARGIN.left}"
          x2="${SIZE.width - MARGIN.right}"
          y1="${y}"
          y2="${y}"
        /><text x="${MARGIN.left - 6}" y="${y + 4}" text-anchor="end">${format(value)}</text>`,
  );
  const dots = points.map(
    ({ x, y }, i) =>
      html`<circle cx="${x}" cy="${y}" r="2.5" data-value="${values[i] ?? 0}">
        <title>${names[i] ?? ''}: ${format(values[i] ?? 0)}</title>
      </circle>`,
  );
  return html`<svg
      id="${id}"
      class="chart"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${SIZE.width} ${SIZE.height}"
    >
      ${grid}
      <polyline class="line" points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}" />
      ${dots}
    </svg>
    <p class="words" aria-hidden="true">${caption(numbers)}</p>`;
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
