// Where the parts of a bar chart lie, as numbers in pixels. The room for labels comes first: a chart grows wider
// rather than letting two of them touch. Draws nothing.
import { FONT_SIZES, type Tone } from './chartStyle';
import { balanced, textWidth, widestWord, wrapped } from './textWidth';
import { valueScale, type ValueScale } from './valueScale';

export interface Bar {
  /** Not negative. */
  readonly value: number;
  readonly tone: Tone;
}

/** Bars that stand together above one label. */
export interface BarGroup {
  readonly label: string;
  /** A second, smaller line. */
  readonly detail?: string;
  readonly bars: readonly Bar[];
}

export interface BarChart {
  readonly title: string;
  readonly subtitle: string;
  readonly groups: readonly BarGroup[];
  /** What the values are, with their unit. */
  readonly valueAxis: string;
  readonly groupAxis: string;
  /** What the bars of a group stand for; empty where each group has one. */
  readonly legend: readonly { readonly name: string; readonly tone: Tone }[];
  readonly format: (value: number) => string;
  readonly footer: readonly string[];
}

export interface PlacedBar {
  readonly bar: Bar;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedGroup {
  readonly group: BarGroup;
  readonly middle: number;
  readonly labelLines: readonly string[];
  readonly bars: readonly PlacedBar[];
}

export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** The edges of the plot. */
  readonly plot: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  readonly scale: ValueScale;
  readonly groups: readonly PlacedGroup[];
  /** Below all labels. */
  readonly axisNameY: number;
  readonly footerLines: readonly string[];
}

export const LINE_HEIGHT = 16;
/** From one baseline to the next in the footer, from the name of the axis to the footer, and from there to the edge. */
export const FOOTER = { line: 15, above: 28, below: 14 } as const;

const WIDTH = 760;
const MARGIN = { left: 56, right: 16, top: 112 } as const;
/** Titles and the footer begin further left than the plot. */
export const TEXT_INDENT = -40;
const PLOT_HEIGHT = 240;
const GROUP_GAP = 20;
/** Between two labels, and between two values. */
const LABEL_GAP = 8;
const VALUE_GAP = 6;
const MAX_BAR = 52;
/** Share of the space of a bar. */
const BAR_SHARE = 0.86;

/** The height of a bar is proportional to its value, and none is higher than the plot. */
export function chartLayout(chart: BarChart): ChartLayout {
  const { groups, footer } = chart;
  const scale = valueScale(Math.max(0, ...valuesOf(chart)));
  const { groupWidth, slot } = widths(chart);
  const placed = groups.map((group, i): PlacedGroup => {
    const middle = MARGIN.left + (i + 0.5) * groupWidth;
    const first = middle - (group.bars.length * slot) / 2;
    const bars = group.bars.map((bar, n) => ({
      bar,
      x: first + (n + (1 - BAR_SHARE) / 2) * slot,
      width: slot * BAR_SHARE,
      height: (bar.value / scale.top) * PLOT_HEIGHT,
    }));
    const labelLines = balanced(group.label, FONT_SIZES.text, groupWidth - LABEL_GAP);
    return { group, middle, labelLines, bars };
  });
  const rows = placed.map(
    ({ group, labelLines }) => labelLines.length + (group.detail === undefined ? 0 : 1),
  );
  const labelRows = Math.max(1, ...rows);
  const plotWidth = groupWidth * Math.max(1, groups.length);
  const footerLines = footer.flatMap((text) => wrapped(text, FONT_SIZES.small, plotWidth - TEXT_INDENT));
  const bottom = MARGIN.top + PLOT_HEIGHT;
  const axisNameY = bottom + (labelRows + 1.5) * LINE_HEIGHT;
  return {
    width: MARGIN.left + plotWidth + MARGIN.right,
    height: axisNameY + FOOTER.above + Math.max(0, footerLines.length - 1) * FOOTER.line + FOOTER.below,
    plot: { left: MARGIN.left, right: MARGIN.left + plotWidth, top: MARGIN.top, bottom },
    scale,
    groups: placed,
    axisNameY,
    footerLines,
  };
}

/** Widths of a group and of a bar in it with its margin: equal shares of the usual width, or what labels need. */
function widths(chart: BarChart): { groupWidth: number; slot: number } {
  const { groups, legend, format } = chart;
  const perGroup = Math.max(1, legend.length, ...groups.map(({ bars }) => bars.length));
  const valueWidths = valuesOf(chart).map((value) => textWidth(format(value), FONT_SIZES.small));
  const leastSlot = Math.max(0, ...valueWidths) + VALUE_GAP;
  const labelWidths = groups.map(({ label, detail = '' }) =>
    Math.max(widestWord(label, FONT_SIZES.text), textWidth(detail, FONT_SIZES.small)),
  );
  const gap = perGroup > 1 ? GROUP_GAP : 0;
  const share = (WIDTH - MARGIN.left - MARGIN.right) / Math.max(1, groups.length);
  const groupWidth = Math.max(share, perGroup * leastSlot + gap, Math.max(0, ...labelWidths) + LABEL_GAP);
  const slot = Math.min((groupWidth - gap) / perGroup, Math.max(MAX_BAR / BAR_SHARE, leastSlot));
  return { groupWidth, slot };
}

function valuesOf({ groups }: BarChart): number[] {
  return groups.flatMap(({ bars }) => bars.map(({ value }) => value));
}
