// Colours and type of the charts, for light and dark systems.

/** What a bar stands for: the baseline, a measured value, the one to look at; or a rank in a series. */
export type Tone = 'base' | 'main' | 'accent' | 'low' | 'middle' | 'high';

/** Of the title, of other texts, and of the footer. */
export const FONT_SIZES = { title: 17, text: 12, small: 11 } as const;

const FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif";

interface Colours {
  /** Of the background, also around values that stand on a line of the grid. */
  readonly page: string;
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly axis: string;
  readonly bars: Readonly<Record<Tone, string>>;
}

/** Of one hue for bars that have a rank: visible in both themes, and without colours. */
const LIGHT: Colours = {
  page: '#ffffff',
  text: '#1f2328',
  muted: '#59636e',
  grid: '#d8dee4',
  axis: '#818b98',
  bars: {
    base: '#a3acb8',
    main: '#2f7bd6',
    accent: '#d9730d',
    low: '#9cc7f5',
    middle: '#3f8ae0',
    high: '#134a8e',
  },
};
const DARK: Colours = {
  page: '#0d1117',
  text: '#f0f6fc',
  muted: '#9198a1',
  grid: '#2f353d',
  axis: '#656c76',
  bars: {
    base: '#6e7681',
    main: '#4a93e8',
    accent: '#ee8f35',
    low: '#cfe4fb',
    middle: '#74aef0',
    high: '#2c74cc',
  },
};

/** The text of a style sheet. */
export function chartStyle(): string {
  return [
    `text { font: ${String(FONT_SIZES.text)}px ${FONT}; }`,
    `.title { font-size: ${String(FONT_SIZES.title)}px; font-weight: 600; }`,
    `.value, .footer, .detail { font-size: ${String(FONT_SIZES.small)}px; }`,
    '.value { paint-order: stroke; stroke-width: 4px; stroke-linejoin: round; }',
    ...rules(LIGHT),
    '@media (prefers-color-scheme: dark) {',
    ...rules(DARK),
    '}',
  ].join('\n');
}

function rules({ page, text, muted, grid, axis, bars }: Colours): string[] {
  return [
    `text { fill: ${text}; }`,
    `.subtitle, .tick, .axis-name, .detail, .footer { fill: ${muted}; }`,
    `.page { fill: ${page}; }`,
    `.value { stroke: ${page}; }`,
    `.grid { stroke: ${grid}; }`,
    `.axis { stroke: ${axis}; }`,
    ...Object.entries(bars).map(([tone, colour]) => `.${tone} { fill: ${colour}; }`),
  ];
}
