// Reports a run of `flashline bench`, which decodes the same prompts without and with drafts, as JSON and text.
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { peakResidentBytes } from '../../server/machine/peakMemory';
import { table } from '../../server/cli/table';
import { benchMachine } from '../benchMachine';
import { percent, tableOf } from '../report';
import type { DecodeFigures } from './decodeBench';

export const PREFILL_TOKENS = 512;

/** Circumstances of a run, which its figures depend on. */
export interface Circumstances {
  /** Sampling options with the seed of the first prompt; undefined for greedy decoding. */
  readonly sampling: SamplingOptions | undefined;
  /** True if the prompts were messages in the target's chat template. */
  readonly isChat: boolean;
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

/** Costs of verifying with greedy decoding. */
export interface VerifyCosts {
  /** Median milliseconds by number of drafts; entry 0 is a plain step. */
  readonly verifyMsByWidth: readonly number[];
  /** Time of the widest verify divided by that of a plain step, measured alternately. */
  readonly verify16OverPlain: number;
}

export interface PassCosts extends VerifyCosts {
  readonly prefillTokensPerSecond: number;
}

export type BenchReport = ReturnType<typeof benchReport>;

/** Returns the JSON of a run. Ratios are medians of ratios taken within one repeat. */
export function benchReport(decoded: DecodeFigures, costs: PassCosts, circumstances: Circumstances) {
  return {
    ...decoded,
    // With sampled drafts, the text depends on where rounds begin.
    identical: circumstances.sampling?.acceptance === 'rejection' ? null : decoded.identical,
    peakRssMb: peakResidentBytes() / 1e6,
    ...costs,
    ...circumstances,
    ...benchMachine(),
  };
}

export function renderReport(report: BenchReport): string {
  const { prompts, maxTokens, repeats, identical, sampling, verifyMsByWidth } = report;
  const counts = `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats`;
  const settings = Object.entries(sampling ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const title = sampling ? `Sampling (${settings.join(', ')}; ${counts})` : `Decoding (${counts})`;
  const verify = table([
    ['rows', ...verifyMsByWidth.map((_, i) => String(i + 1))],
    ['ms', ...verifyMsByWidth.map((ms) => ms.toFixed(1))],
  ]);
  const steps = table([
    ['adaptive / best fixed length', report.adaptiveOverBestFixed.toFixed(2)],
    ['adaptive / plain, slowest prompt', report.adaptiveWorstPrompt.toFixed(2)],
    ...report.adaptiveSources.map(({ name, rounds, drafted, accepted }) => [
      `adaptive: drafts from ${name}`,
      `${String(accepted)} of ${String(drafted)} accepted in ${String(rounds)} rounds`,
    ]),
    [`verify ${String(verifyMsByWidth.length)} rows / plain step`, report.verify16OverPlain.toFixed(2)],
    ['graph building', `${percent(report.graphBuildShare)} of a plain step`],
    [`prefill of ${String(PREFILL_TOKENS)} tokens`, `${report.prefillTokensPerSecond.toFixed(0)} tok/s`],
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ...(identical === null ? [] : [['same tokens at all draft lengths', identical ? 'yes' : 'no']]),
  ]);
  return `${title}\n${byLength(report)}\n\nVerify cost\n${verify}\n\nStep\n${steps}\n`;
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
