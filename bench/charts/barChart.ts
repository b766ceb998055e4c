// Draws a bar chart as the text of an SVG file. Knows places and texts, not what was measured.
import {
  chartLayout,
  FOOTER,
  LINE_HEIGHT,
  TEXT_INDENT,
  type BarChart,
  type ChartLayout,
  type PlacedGroup,
} from './chartLayout';
import { chartStyle, FONT_SIZES } from './chartStyle';
import { svgElement, type Attributes, type Markup } from './svg';
import { textWidth } from './textWidth';

const TITLE_Y = 30;
const SUBTITLE_Y = 52;
/** Above the plot, over the highest bar's value. */
const AXIS_NAME_RISE = 24;
const SWATCH = 10;

/** A whole SVG file, ready to be written. */
export function barChart(chart: BarChart): string {
  const layout = chartLayout(chart);
  const { width, height, plot, groups, axisNameY, footerLines } = layout;
  const left = { x: plot.left + TEXT_INDENT };
  const parts = [
    svgElement('title', {}, chart.title),
    svgElement('style', {}, chartStyle()),
    // The page that shows it may be dark where the system is light, as in VS Code.
    svgElement('rect', { class: 'page', width: '100%', height: '100%' }),
    label('title', { ...left, y: TITLE_Y }, chart.title),
    label('subtitle', { ...left, y: SUBTITLE_Y }, chart.subtitle),
    label('axis-name', { ...left, y: plot.top - AXIS_NAME_RISE }, chart.valueAxis),
    ...legend(chart, layout),
    ...grid(layout),
    ...groups.flatMap((group) => drawnGroup(group, chart, layout)),
    svgElement('line', { class: 'axis', x1: plot.left, x2: plot.right, y1: plot.bottom, y2: plot.bottom }),
    ...(groups.length === 0 ? [label('empty', center(layout), 'Nothing was measured.')] : []),
    label('axis-name', { ...center(layout), y: axisNameY }, chart.groupAxis),
    ...footerLines.map((line, i) =>
      label('footer', { ...left, y: axisNameY + FOOTER.above + i * FOOTER.line }, line),
    ),
  ];
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    ...size,
    viewBox: `0 0 ${String(size.width)} ${String(size.height)}`,
    role: 'img',
  };
  return `${svgElement('svg', attributes, '\n', ...parts.flatMap((part) => [part, '\n'])).text}\n`;
}

function grid({ plot, scale }: ChartLayout): Markup[] {
  return scale.ticks.flatMap(({ value, text }) => {
    const y = plot.bottom - (value / scale.top) * (plot.bottom - plot.top);
    return [
      svgElement('line', { class: 'grid', x1: plot.left, x2: plot.right, y1: y, y2: y }),
      label('tick', { x: plot.left - 8, y: y + 4, 'text-anchor': 'end' }, text),
    ];
  });
}

function drawnGroup(
  { group, middle, labelLines, bars }: PlacedGroup,
  { format }: BarChart,
  { plot }: ChartLayout,
): Markup[] {
  const at = (row: number): Attributes => ({
    x: middle,
    y: plot.bottom + 4 + row * LINE_HEIGHT,
    'text-anchor': 'middle',
  });
  return [
    ...bars.flatMap(({ bar, x, width, height }) => {
      const y = plot.bottom - height;
      return [
        svgElement('rect', { class: `bar ${bar.tone}`, x, y, width, height }),
        label('value', { x: x + width / 2, y: y - 5, 'text-anchor': 'middle' }, format(bar.value)),
      ];
    }),
    ...labelLines.map((line, i) => label('label', at(i + 1), line)),
    ...(group.detail === undefined ? [] : [label('detail', at(labelLines.length + 1), group.detail)]),
  ];
}

/** At the right edge, in the line of the value axis's name. */
function legend({ legend: entries }: BarChart, { plot }: ChartLayout): Markup[] {
  const widths = entries.map(({ name }) => SWATCH + 6 + textWidth(name, FONT_SIZES.text) + 14);
  let x = plot.right - widths.reduce((sum, width) => sum + width, 0) + 14;
  const y = plot.top - AXIS_NAME_RISE;
  return entries.flatMap(({ name, tone }, i) => {
    const start = x;
    x += widths[i] ?? 0;
    return [
      svgElement('rect', { class: tone, x: start, y: y - SWATCH + 1, width: SWATCH, height: SWATCH }),
      label('legend', { x: start + SWATCH + 6, y }, name),
    ];
  });
}

function label(kind: string, at: Attributes, text: string): Markup {
  return svgElement('text', { class: kind, ...at }, text);
}

function center({ plot }: ChartLayout): Attributes {
  return { x: (plot.left + plot.right) / 2, y: (plot.top + plot.bottom) / 2, 'text-anchor': 'middle' };
}
