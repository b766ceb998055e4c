// `node dist/bench/run.js charts [RESULTS] [CHARTS]`: the two charts of the README, drawn by Vega from what the
// benchmarks have left in bench/results/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { InputError } from '../server/rules/inputError';
import { mediaPath } from '../server/machine/folders';
import type { BenchMachine } from './benchMachine';
import type { BenchReport } from './decode/decodeReport';
import { CASES } from './replay/cases';
import { CASE_NAMES, type ReplayReport } from './replay/replayReport';

const WIDTH = 720;
const HEIGHT = 260;
const PERCENTILES = ['p50', 'p95', 'p99'] as const;
/** Told apart without colours too: from light to dark. */
const COLOURS = ['#9ecae1', '#4292c6', '#084594'];

export const HELP = 'Draws the charts in media/charts/ from bench/results/.';

export async function run([
  results = mediaPath('../bench/results'),
  folder = mediaPath('charts'),
]: readonly string[]): Promise<void> {
  const specs = {
    'speed-up': speedUp(read<BenchReport>(results, 'decode')),
    latency: latency(read<ReplayReport & BenchMachine>(results, 'replay')),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, spec] of Object.entries(specs))
    writeFileSync(join(folder, `${name}.svg`), await svg(spec));
}

function read<Report>(folder: string, name: string): Report {
  const file = join(folder, `${name}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch (cause) {
    throw new InputError({
      expected: `the result of a benchmark in ${file}`,
      got: 'none',
      remedy: 'run "npm run bench" first',
      cause,
    });
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

function speedUp({ lengths, adaptiveSpeedup, ...report }: BenchReport): TopLevelSpec {
  const { plainMsPerToken: plain, adaptiveMsPerToken: adaptive } = report;
  const bars = [
    { length: '0 (plain)', speed: 1 },
    ...lengths.map(({ draftLength, speedup }) => ({ length: String(draftLength), speed: speedup })),
    { length: 'adaptive', speed: adaptiveSpeedup },
  ];
  const { prompts, maxTokens, repeats } = report;
  return {
    ...framed(
      'Speed-up by draft length',
      `Adaptive lengths take ${adaptive.toFixed(1)} ms per token, plain decoding ${plain.toFixed(1)} ms.`,
      `${String(prompts)} prompts, up to ${String(maxTokens)} tokens each, ${String(repeats)} repeats. ${machine(report)}`,
    ),
    data: { values: bars },
    encoding: {
      x: {
        field: 'length',
        type: 'nominal',
        sort: null,
        title: 'draft tokens per round',
        axis: { labelAngle: 0 },
      },
      y: { field: 'speed', type: 'quantitative', title: 'times the speed of plain decoding' },
    },
    layer: [{ mark: { type: 'bar', color: COLOURS[1] ?? '' } }, values('speed', '.2f')],
  };
}

function latency({ cases, ...report }: ReplayReport & BenchMachine): TopLevelSpec {
  const bars = CASES.flatMap((name) =>
    PERCENTILES.flatMap((percentile) => {
      const { count, [percentile]: ms } = cases[name];
      const kind = `${CASE_NAMES[name]} (${String(count)})`;
      return ms === null ? [] : [{ kind, percentile: percentile === 'p50' ? 'median' : percentile, ms }];
    }),
  );
  const { typedCharacters, seconds, requests } = report;
  const offset = { field: 'percentile', sort: null };
  return {
    ...framed(
      'Time to a suggestion while typing',
      'From sending a request to its response, for requests answered with a suggestion.',
      `${String(typedCharacters)} characters typed in ${seconds.toFixed(0)} s, ${String(requests)} requests. ${machine(report)}`,
    ),
    data: { values: bars },
    encoding: {
      x: {
        field: 'kind',
        type: 'nominal',
        sort: null,
        title: 'kind of request (and how many)',
        axis: { labelAngle: 0 },
      },
      xOffset: offset,
      y: { field: 'ms', type: 'quantitative', title: 'milliseconds to the suggestion' },
    },
    layer: [
      {
        mark: { type: 'bar' },
        encoding: {
          color: { field: 'percentile', sort: null, scale: { range: COLOURS }, legend: { title: null } },
        },
      },
      values('ms', '.0f'),
    ],
  };
}

/** On white, as the page that shows it may be dark. */
function framed(title: string, subtitle: string, caption: string) {
  return {
    width: WIDTH,
    height: HEIGHT,
    background: 'white',
    padding: 16,
    title: { text: title, subtitle: [subtitle, caption], anchor: 'start' as const },
    config: { font: 'sans-serif' },
  } satisfies Partial<TopLevelSpec>;
}

/** Above each bar. */
function values(field: string, format: string) {
  return {
    mark: { type: 'text', baseline: 'bottom', dy: -3, fontSize: 10 },
    encoding: { text: { field, type: 'quantitative', format } },
  } as const;
}

function machine({ cpu, cores, platform, node }: BenchMachine): string {
  return `${cpu}, ${String(cores)} cores, ${platform}, Node ${node}.`;
}
