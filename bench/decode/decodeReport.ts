// The report of a decode run (`flashline bench`), plainly and with drafts, greedily or with sampling: JSON and text.
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { peakResidentBytes } from '../../server/machine/thisMachine';
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import { percent, tableOf } from '../report';
import type { DecodeFigures } from './decodeBench';
import { PREFILL_TOKENS, type VerifyCost } from './passCosts';
import type { SamplerCost } from './samplerCost';

interface Extent {
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

/** Of steps without sampling. */
export interface GreedyCosts extends VerifyCost {
  readonly prefillTokensPerSecond: number;
}

export interface SampledCosts {
  /** The first prompt's seed included. */
  readonly sampling: SamplingOptions;
  readonly sampler: readonly SamplerCost[];
}

export type BenchReport = ReturnType<typeof benchReport>;

/** The JSON of a run: ratios are medians of ratios taken within one repeat. */
export function benchReport(decoded: DecodeFigures, costs: GreedyCosts | SampledCosts, extent: Extent) {
  const drawsDrafts = 'sampler' in costs && costs.sampling.acceptance === 'rejection';
  return {
    ...decoded,
    // If drafts are drawn, the text depends on where rounds begin.
    identical: drawsDrafts ? null : decoded.identical,
    peakRssMb: peakResidentBytes() / 1e6,
    ...costs,
    ...extent,
    ...benchMachine(),
  };
}

export function renderReport(report: BenchReport): string {
  const { prompts, maxTokens, repeats, identical } = report;
  const counts = `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats`;
  const {
    title,
    costs,
    verify = [],
    prefill = [],
  } = 'sampler' in report ? sampledParts(report) : greedyParts(report);
  const steps = table([
    ['adaptive / best fixed length', report.adaptiveOverBestFixed.toFixed(2)],
    ['adaptive / plain, slowest prompt', report.adaptiveWorstPrompt.toFixed(2)],
    ...report.adaptiveSources.map(({ name, rounds, drafted, accepted }) => [
      `adaptive: drafts from ${name}`,
      `${String(accepted)} of ${String(drafted)} accepted in ${String(rounds)} rounds`,
    ]),
    ...verify,
    ['graph building', `${percent(report.graphBuildShare)} of a plain step`],
    ...prefill,
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ...(identical === null ? [] : [['same tokens at all draft lengths', sameTokens(identical)]]),
  ]);
  return `${title}${counts})\n${byLength(report)}\n\n${costs}\n\nStep\n${steps}\n`;
}

function byLength(report: BenchReport): string {
  const { plainMsPerToken, adaptiveMsPerToken, adaptiveTokensPerRound, adaptiveSpeedup } = report;
  const lengths = [
    { draftLength: '0 (plain)', msPerToken: plainMsPerToken, tokensPerRound: 1, speedup: 1 },
    ...report.lengths,
    {
      draftLength: 'adaptive',
      msPerToken: adaptiveMsPerToken,
      tokensPerRound: adaptiveTokensPerRound,
      speedup: adaptiveSpeedup,
    },
  ];
  return tableOf(lengths, {
    'draft length': ({ draftLength }) => String(draftLength),
    'ms/token': ({ msPerToken }) => msPerToken.toFixed(2),
    'tokens/round': ({ tokensPerRound }) => tokensPerRound.toFixed(2),
    'speed-up': ({ speedup }) => speedup.toFixed(2),
  });
}

/** What differs without and with sampling: the beginning, the table of single passes, and rows of the last table. */
interface Parts {
  readonly title: string;
  readonly costs: string;
  readonly verify?: string[][];
  readonly prefill?: string[][];
}

function greedyParts({ verifyMsByWidth, verify16OverPlain, prefillTokensPerSecond }: GreedyCosts): Parts {
  const byWidth = table([
    ['rows', ...verifyMsByWidth.map((_, i) => String(i + 1))],
    ['ms', ...verifyMsByWidth.map((ms) => ms.toFixed(1))],
  ]);
  const widest = String(verifyMsByWidth.length);
  return {
    title: 'Decoding (',
    costs: `Verify cost\n${byWidth}`,
    verify: [[`verify ${widest} rows / plain step`, verify16OverPlain.toFixed(2)]],
    prefill: [[`prefill of ${String(PREFILL_TOKENS)} tokens`, `${prefillTokensPerSecond.toFixed(0)} tok/s`]],
  };
}

function sampledParts({ sampling, sampler }: SampledCosts): Parts {
  const settings = Object.entries(sampling).map(([name, value]) => `${name} ${String(value)}`);
  const byRows = tableOf(sampler, {
    rows: ({ rows }) => String(rows),
    ms: ({ ms }) => ms.toFixed(1),
    sampler: ({ share }) => percent(share),
    'sampler in JavaScript': ({ hostMs }) => `${hostMs.toFixed(2)} ms`,
  });
  return { title: `Sampling (${settings.join(', ')}; `, costs: `Sampler (share of a pass)\n${byRows}` };
}

function sameTokens(identical: boolean): string {
  return identical ? 'yes' : 'no: a near-tie was broken differently';
}
