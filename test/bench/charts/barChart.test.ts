// A bar chart as an SVG file: lengths in proportion, everything in words, no label over another.
import assert from 'node:assert/strict';
import { barChart } from '../../../bench/charts/barChart';
import type { BarChart, BarGroup } from '../../../bench/charts/chartLayout';
import { textWidth } from '../../../bench/charts/textWidth';
import { numberOf, ofClass, svgElements, type SvgElement } from './svgElements';

const CHART: BarChart = {
  title: 'Title',
  subtitle: 'Subtitle',
  groups: [],
  valueAxis: 'ms',
  groupAxis: 'rows',
  legend: [],
  format: String,
  footer: ['first line', 'second line'],
};

const LEGEND = [
  { name: 'p50', tone: 'low' },
  { name: 'p99', tone: 'high' },
] as const;

const drawn = (chart: Partial<BarChart>): SvgElement[] => svgElements(barChart({ ...CHART, ...chart }));
const single = (value: number): BarGroup => ({
  label: `of ${String(value)}`,
  bars: [{ value, tone: 'main' }],
});
const pair = (label: string, low: number, high: number): BarGroup => ({
  label,
  detail: 'n = 12345',
  bars: [
    { value: low, tone: 'low' },
    { value: high, tone: 'high' },
  ],
});
const texts = (elements: readonly SvgElement[], kind: string): string[] =>
  ofClass(elements, kind).map(({ text }) => text);

describe('barChart', () => {
  it('draws bars in proportion to their values, on one base line', () => {
    const values = [3, 1, 2, 40, 0, 39.5];
    const bars = ofClass(drawn({ groups: values.map(single) }), 'bar');
    const heights = bars.map((bar) => numberOf(bar, 'height'));
    const unit = (heights[3] ?? NaN) / 40;
    assert.ok(unit > 0);
    for (const [i, value] of values.entries())
      assert.ok(
        Math.abs((heights[i] ?? NaN) - value * unit) <= 0.1,
        `${String(value)}: ${String(heights[i])}`,
      );
    for (const bar of bars)
      assert.ok(Math.abs(numberOf(bar, 'y') + numberOf(bar, 'height') - baseLine(bars)) <= 0.1);
  });

  it('says everything in words', () => {
    const groups = [pair('cold file', 1.25, 7), pair('warm', 3, 4)];
    const elements = drawn({ groups, legend: LEGEND, format: (value) => `${value.toFixed(2)}!` });
    assert.deepEqual(texts(elements, 'value'), ['1.25!', '7.00!', '3.00!', '4.00!']);
    assert.deepEqual(texts(elements, 'label'), ['cold file', 'warm']);
    assert.deepEqual(texts(elements, 'detail'), ['n = 12345', 'n = 12345']);
    assert.deepEqual(texts(elements, 'legend'), ['p50', 'p99']);
    assert.deepEqual(texts(elements, 'axis-name'), ['ms', 'rows']);
    assert.deepEqual(texts(elements, 'tick'), ['0', '2', '4', '6', '8']);
    assert.deepEqual(texts(elements, 'footer'), ['first line', 'second line']);
    assert.deepEqual([...texts(elements, 'title'), ...texts(elements, 'subtitle')], ['Title', 'Subtitle']);
  });

  it('gives each bar the colour that the legend names', () => {
    const elements = drawn({ groups: [pair('a', 1, 2)], legend: LEGEND });
    const tones = elements.filter(({ name }) => name === 'rect').map(({ attributes }) => attributes['class']);
    assert.deepEqual(tones, ['page', 'low', 'high', 'bar low', 'bar high']);
  });

  const crowded: readonly (readonly [what: string, chart: Partial<BarChart>])[] = [
    ['many bars with long values', { groups: Array.from({ length: 30 }, (_, i) => single(123456 + i)) }],
    [
      'long words',
      { groups: ['incomprehensibilities', 'one two three four'].map((name) => pair(name, 1, 2)) },
    ],
    [
      'many groups of two',
      { groups: Array.from({ length: 16 }, () => pair('warm, single line', 99999, 88888)), legend: LEGEND },
    ],
    ['one value', { groups: [single(1)] }],
    ['a long footer', { groups: [single(1)], footer: ['word '.repeat(60).trim()] }],
  ];
  for (const [what, chart] of crowded)
    it(`keeps labels apart and inside of the picture: ${what}`, () => {
      const elements = drawn(chart);
      const [picture] = elements;
      assert.ok(picture);
      const boxes = elements.filter(({ name }) => name === 'text').map(boxOf);
      for (const [i, box] of boxes.entries()) {
        assert.ok(box.left >= 0 && box.right <= numberOf(picture, 'width'), box.text);
        assert.ok(box.top >= 0 && box.bottom <= numberOf(picture, 'height'), box.text);
        for (const other of boxes.slice(i + 1))
          assert.ok(
            box.right <= other.left ||
              other.right <= box.left ||
              box.bottom <= other.top ||
              other.bottom <= box.top,
            `"${box.text}" over "${other.text}"`,
          );
      }
    });

  it('says so when there is nothing to draw', () => {
    const elements = drawn({});
    assert.deepEqual(ofClass(elements, 'bar'), []);
    assert.deepEqual(texts(elements, 'empty'), ['Nothing was measured.']);
    assert.deepEqual(texts(drawn({ groups: [single(0)] }), 'empty'), []);
  });

  it('has colours for light and dark systems, and a background of its own', () => {
    const elements = drawn({ groups: [single(1)] });
    const style = elements.find(({ name }) => name === 'style')?.text ?? '';
    const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
    for (const kind of [
      'text',
      '.page',
      '.grid',
      '.axis',
      '.base',
      '.main',
      '.accent',
      '.low',
      '.middle',
      '.high',
    ])
      for (const rules of [light, dark])
        assert.match(rules, new RegExp(`^${kind.replace('.', '\\.')} \\{ (fill|stroke): #`, 'm'));
    const [background] = elements.filter(({ name }) => name === 'rect');
    assert.equal(background?.attributes['class'], 'page');
  });
});

function baseLine(bars: readonly SvgElement[]): number {
  return Math.max(...bars.map((bar) => numberOf(bar, 'y') + numberOf(bar, 'height')));
}

/** By the estimate of the width, and by the height of capital letters. */
function boxOf(element: SvgElement): {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
} {
  const { attributes, text } = element;
  const kind = attributes['class'] ?? '';
  const size = kind === 'title' ? 17 : ['value', 'detail', 'footer'].includes(kind) ? 11 : 12;
  const width = textWidth(text, size);
  const x = numberOf(element, 'x');
  const anchor = attributes['text-anchor'] ?? 'start';
  const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
  const bottom = numberOf(element, 'y');
  // Coordinates are written with one decimal.
  return { text, left: left + 0.1, right: left + width - 0.1, top: bottom - 0.75 * size, bottom };
}
