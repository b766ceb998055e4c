// `node dist/bench/run.js charts [RESULTS] [CHARTS]`: draws the charts of the README and the results page with Vega
// from the results of the benchmarks in bench/results/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { WrongValue } from '../server/rules/userError';
import { mediaPath } from '../server/machine/folders';
import type { BenchMachine } from './benchMachine';
import type { BenchReport } from './decode/decodeReport';
import type { DepthReport } from './decode/depthReport';
import { CASE_NAMES, CASES } from './replay/cases';
import type { Figures } from './replay/figures';

interface Chart {
  readonly title: string;
  /** Two lines below the title. */
  readonly subtitle: readonly [string, string];
  readonly xTitle: string;
  readonly yTitle: string;
  /** Format of the numbers above the bars, in d3's notation. */
  readonly format: string;
  readonly bars: readonly { readonly x: string; readonly y: number; readonly series?: string }[];
}

/** Colours of the series, from light to dark, so that they also differ in greyscale. */
const COLOURS = ['#9ecae1', '#4292c6', '#084594'] as const;

export const HELP = 'Draws the charts in media/charts/ from bench/results/.';

export async function run([
  results = mediaPath('../bench/results'),
  folder = mediaPath('charts'),
]: readonly string[]): Promise<void> {
  const charts = {
    'speed-up': speedUp(read<BenchReport>(results, 'decode')),
    depth: byDepth(read<DepthReport>(results, 'depth')),
    latency: latency(read<Figures & BenchMachine>(results, 'replay')),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, chart] of Object.entries(charts))
    writeFileSync(join(folder, `${name}.svg`), await svg(specOf(chart)));
}

function read<Report>(folder: string, name: string): Report {
  const file = join(folder, `${name}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch (cause) {
    const remedy = 'run "npm run bench" first';
    throw new WrongValue({ expected: `the result of a benchmark in ${file}`, got: 'none', remedy, cause });
  }
}

async function svg(spec: TopLevelSpec): Promise<string> {
  const [{ parse, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}

function speedUp({ lengths, adaptiveSpeedup, ...report }: BenchReport): Chart {
  const { plainMsPerToken: plain, adaptiveMsPerToken: adaptive, prompts, maxTokens, repeats } = report;
  return {
    title: 'Speed-up by draft length',
    subtitle: [
      `Adaptive lengths take ${adaptive.toFixed(1)} ms per token, plain decoding ${plain.toFixed(1)} ms.`,
      `${String(prompts)} prompts, up to ${String(maxTokens)} tokens each, ${String(repeats)} repeats. ${machine(report)}`,
    ],
    xTitle: 'draft tokens per round',
    yTitle: 'times the speed of plain decoding',
    format: '.2f',
    bars: [
      { x: '0 (plain)', y: 1 },
      ...lengths.map(({ draftLength, speedup }) => ({ x: String(draftLength), y: speedup })),
      { x: 'adaptive', y: adaptiveSpeedup },
    ],
  };
}

function byDepth({ depths, prompts, maxTokens, repeats, ...report }: DepthReport): Chart {
  return {
    title: 'Decoding speed by depth of context',
    subtitle: [
      'Tokens of other files before the prompt, and tokens per second after it.',
      `${String(prompts)} prompts, up to ${String(maxTokens)} tokens each, ${String(repeats)} repeats. ${machine(report)}`,
    ],
    xTitle: 'tokens before the prompt',
    yTitle: 'tokens per second',
    format: '.1f',
    bars: depths.flatMap(({ depth, plainTokensPerSecond, adaptiveTokensPerSecond }) => [
      { x: String(depth), y: plainTokensPerSecond, series: 'plain' },
      { x: String(depth), y: adaptiveTokensPerSecond, series: 'adaptive drafts' },
    ]),
  };
}

function latency({ cases, ...report }: Figures & BenchMachine): Chart {
  const { typedCharacters, seconds, requests } = report;
  return {
    title: 'Time to a suggestion while typing',
    subtitle: [
      'From sending a request to its response, for requests answered with a suggestion.',
      `${String(typedCharacters)} characters typed in ${seconds.toFixed(0)} s, ${String(requests)} requests. ${machine(report)}`,
    ],
    xTitle: 'kind of request (and how many)',
    yTitle: 'milliseconds to the suggestion',
    format: '.0f',
    bars: CASES.flatMap((name) => {
      const { count, p50, p95, p99 } = cases[name];
      return Object.entries({ median: p50, p95, p99 }).flatMap(([percentile, y]) =>
        y === null ? [] : [{ x: `${CASE_NAMES[name]} (${String(count)})`, y, series: percentile }],
      );
    }),
  };
}

/** Returns the Vega-Lite specification, with a white background, as the page can be dark. */
function specOf({ title, subtitle, xTitle, yTitle, format, bars }: Chart): TopLevelSpec {
  const series = { field: 'series', sort: null };
  const isGrouped = bars.some((bar) => bar.series !== undefined);
  const color = { ...series, scale: { range: [...COLOURS] }, legend: { title: null } };
  return {
    width: 720,
    height: 260,
    background: 'white',
    padding: 16,
    title: { text: title, subtitle: [...subtitle], anchor: 'start' },
    config: { font: 'sans-serif' },
    data: { values: [...bars] },
    encoding: {
      x: { field: 'x', type: 'nominal', sort: null, title: xTitle, axis: { labelAngle: 0 } },
      y: { field: 'y', type: 'quantitative', title: yTitle },
      ...(isGrouped && { xOffset: series }),
    },
    layer: [
      isGrouped
        ? { mark: { type: 'bar' }, encoding: { color } }
        : { mark: { type: 'bar', color: COLOURS[1] } },
      {
        mark: { type: 'text', baseline: 'bottom', dy: -3, fontSize: 10 },
        encoding: { text: { field: 'y', type: 'quantitative', format, title: 'rounded' } },
      },
    ],
  };
}

function machine({ cpu, cores, platform, node }: BenchMachine): string {
  return `${cpu}, ${String(cores)} cores, ${platform}, Node ${node}.`;
}
