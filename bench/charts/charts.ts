// Which chart shows which results, and with which texts. Knows neither files nor pixels.
import type { BenchMachine } from '../benchMachine';
import { CASE_NAMES } from '../replay/replayReport';
import { barChart } from './barChart';
import type { BarGroup } from './chartLayout';
import type { Tone } from './chartStyle';
import {
  PERCENTILES,
  type DecodeResults,
  type Extent,
  type PeersResults,
  type ReplayResults,
  type Results,
} from './results';

export interface Chart {
  readonly file: string;
  /** A whole SVG file. */
  readonly svg: string;
}

/** The charts of all results that are there. */
export function charts({ decode, replay, peers }: Results): Chart[] {
  return [
    ...(decode
      ? [
          { file: 'verify-cost.svg', svg: verifyCostChart(decode) },
          { file: 'speed-up.svg', svg: speedUpChart(decode) },
        ]
      : []),
    ...(replay ? [{ file: 'latency.svg', svg: latencyChart(replay) }] : []),
    ...(peers ? [{ file: 'peers.svg', svg: peersChart(peers) }] : []),
  ];
}

function verifyCostChart({ verifyMsByWidth, widestOverPlain, repeats, ...rest }: DecodeResults): string {
  const rows = verifyMsByWidth.length;
  return barChart({
    title: 'Cost of a verify pass',
    subtitle: `A pass over ${counted(rows, 'row')} costs ${widestOverPlain.toFixed(2)} plain steps.`,
    valueAxis: 'ms per pass',
    groupAxis: 'rows in the pass: the anchor and the draft tokens',
    legend: [],
    format: milliseconds,
    groups: verifyMsByWidth.map((value, i) => oneBar(String(i + 1), value, i === 0 ? 'base' : 'main')),
    footer: [
      `${counted(repeats, 'repeat')} of the benchmark; medians of single passes.`,
      machineInWords(rest),
    ],
  });
}

function speedUpChart({ lengths, adaptiveSpeedup, ...rest }: DecodeResults): string {
  const { adaptiveMsPerToken: adaptive, plainMsPerToken: plain } = rest;
  return barChart({
    title: 'Speed-up by draft length',
    subtitle: `Adaptive lengths take ${milliseconds(adaptive)} ms per token, plain decoding ${milliseconds(plain)} ms.`,
    valueAxis: 'times the speed of plain decoding',
    groupAxis: 'draft tokens per round',
    legend: [],
    format: (value) => value.toFixed(2),
    groups: [
      oneBar('0 (plain)', 1, 'base'),
      ...lengths.map(({ draftLength, speedup }) => oneBar(String(draftLength), speedup, 'main')),
      oneBar('adaptive', adaptiveSpeedup, 'accent'),
    ],
    footer: [`${extentInWords(rest)}; medians of ratios within one repeat.`, machineInWords(rest)],
  });
}

const RANKS = ['low', 'middle', 'high'] as const satisfies readonly Tone[];

function latencyChart({ cases, ...rest }: ReplayResults): string {
  const measured = cases.flatMap(({ name, count, percentiles }) => {
    const values = percentiles.filter((ms) => ms !== null);
    if (values.length < PERCENTILES.length) return [];
    return [{ label: CASE_NAMES[name], detail: `n = ${String(count)}`, bars: values.map(ranked) }];
  });
  const missing = cases.filter(({ percentiles }) => percentiles.includes(null));
  return barChart({
    title: 'Time to a suggestion while typing',
    subtitle:
      'From sending a request to its response, waiting included, for requests answered with a suggestion.',
    valueAxis: 'milliseconds to the suggestion',
    groupAxis: 'kind of request',
    legend: PERCENTILES.map((name, i) => ({
      name: name === 'p50' ? 'median' : name,
      tone: RANKS[i] ?? 'main',
    })),
    format: milliseconds,
    groups: measured,
    footer: [
      ...typingInWords(rest),
      ...(missing.length === 0
        ? []
        : [`Without samples: ${missing.map(({ name }) => CASE_NAMES[name]).join('; ')}.`]),
      machineInWords(rest),
    ],
  });
}

function peersChart({ peers, ...rest }: PeersResults): string {
  const { threads, llamaCpp, nodeLlamaCpp } = rest;
  return barChart({
    title: 'Time per token, compared with llama.cpp',
    subtitle: `The same model, prompts and ${counted(threads, 'thread')} for all; lower is better.`,
    valueAxis: 'ms per token',
    groupAxis: 'program',
    legend: [],
    format: milliseconds,
    groups: peers.map(({ name, msPerToken }) =>
      oneBar(name, msPerToken, name.startsWith('Flashline') ? 'main' : 'base'),
    ),
    footer: [
      `${extentInWords(rest)}; medians.`,
      `llama.cpp ${llamaCpp} in node-llama-cpp ${nodeLlamaCpp}.`,
      machineInWords(rest),
    ],
  });
}

function oneBar(label: string, value: number, tone: Tone): BarGroup {
  return { label, bars: [{ value, tone }] };
}

function ranked(value: number, i: number): { value: number; tone: Tone } {
  return { value, tone: RANKS[i] ?? 'main' };
}

function typingInWords(replay: Omit<ReplayResults, 'cases'>): string[] {
  const { requests, shown, typedCharacters, seconds, speed, seed, debounceMs, interrupted } = replay;
  const typed = `${counted(typedCharacters, 'character')} typed in ${seconds.toFixed(0)} s`;
  const pace = speed === 1 ? 'at the pace of a person' : `at ${String(speed)} times the pace of a person`;
  const how = `seed ${String(seed)}, debounce ${String(debounceMs)} ms`;
  return [
    `${typed} ${pace} (${how})${interrupted ? '; ended early' : ''}.`,
    `${String(shown)} of ${counted(requests, 'request')} answered with a suggestion.`,
  ];
}

function extentInWords({ prompts, maxTokens, repeats }: Extent): string {
  return `${counted(prompts, 'prompt')}, up to ${counted(maxTokens, 'token')} each, ${counted(repeats, 'repeat')}`;
}

function machineInWords({ cpu, cores, platform, node }: BenchMachine): string {
  return `Measured on ${cpu}, ${counted(cores, 'core')}, ${platform}, Node ${node}.`;
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Three significant digits, or all those before the point; 0.04 has none to spare. */
function milliseconds(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
