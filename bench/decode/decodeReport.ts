// The report of decoding plainly and with drafts (`flashline bench`): the figures of a decode run, as JSON and as text.
import { peakResidentBytes } from '../../server/models/mlx/peakResidentBytes';
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import type { DecodeBenchResult, LengthResult } from './decodeBench';
import { PREFILL_TOKENS } from './prefillSpeed';
import type { VerifyCost } from './verifyCost';

export interface Measurements {
  readonly decoded: DecodeBenchResult;
  readonly verify: VerifyCost;
  readonly prefillTokensPerSecond: number;
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

export type BenchReport = ReturnType<typeof benchReport>;

/** The JSON of a run: ratios are medians of ratios taken within one repeat. */
export function benchReport({ decoded, verify, ...rest }: Measurements) {
  return {
    ...bestFigures(decoded),
    verify16OverPlain: verify.verify16OverPlain,
    graphBuildShare: decoded.graphBuildShare,
    peakRssMb: peakResidentBytes() / 1e6,
    identical: decoded.identical,
    ...adaptiveFigures(decoded),
    lengths: decoded.lengths,
    verifyMsByWidth: verify.msByWidth,
    ...rest,
    ...benchMachine(),
  };
}

/** Of plain decoding and the best fixed length. */
export function bestFigures({ plainMsPerToken, lengths }: DecodeBenchResult) {
  const best = fastest(lengths);
  return {
    plainMsPerToken,
    speculativeMsPerToken: best.msPerToken,
    speedup: best.speedup,
    tokensPerRound: best.tokensPerRound,
    bestDraftLength: best.draftLength,
  };
}

export function adaptiveFigures({ adaptive }: DecodeBenchResult) {
  return {
    adaptiveMsPerToken: adaptive.msPerToken,
    adaptiveSpeedup: adaptive.speedup,
    adaptiveOverBestFixed: adaptive.overBestFixed,
    adaptiveWorstPrompt: adaptive.worstPrompt,
    adaptiveTokensPerRound: adaptive.tokensPerRound,
    adaptiveSources: adaptive.sources,
  };
}

type Decoded = ReturnType<typeof bestFigures> &
  ReturnType<typeof adaptiveFigures> &
  Pick<Measurements, 'prompts' | 'maxTokens' | 'repeats'> & { readonly lengths: readonly LengthResult[] };

export function renderReport(report: BenchReport): string {
  const byWidth = table([
    ['rows', ...report.verifyMsByWidth.map((_, i) => String(i + 1))],
    ['ms', ...report.verifyMsByWidth.map((ms) => ms.toFixed(1))],
  ]);
  const steps = table([
    ...adaptiveRows(report),
    [
      `verify ${String(report.verifyMsByWidth.length)} rows / plain step`,
      report.verify16OverPlain.toFixed(2),
    ],
    ['graph building', `${(100 * report.graphBuildShare).toFixed(1)} % of a plain step`],
    [`prefill of ${String(PREFILL_TOKENS)} tokens`, `${report.prefillTokensPerSecond.toFixed(0)} tok/s`],
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ['same tokens at all draft lengths', sameTokens(report.identical)],
  ]);
  return `Decoding (${counts(report)})\n${byLength(report)}\n\nVerify cost\n${byWidth}\n\nStep\n${steps}\n`;
}

export function counts({ prompts, maxTokens, repeats }: Decoded): string {
  return `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats`;
}

export function byLength(report: Decoded): string {
  return table([
    ['draft length', 'ms/token', 'tokens/round', 'speed-up'],
    ['0 (plain)', report.plainMsPerToken.toFixed(2), '1.00', '1.00'],
    ...report.lengths.map(({ draftLength, msPerToken, tokensPerRound, speedup }) => [
      String(draftLength),
      msPerToken.toFixed(2),
      tokensPerRound.toFixed(2),
      speedup.toFixed(2),
    ]),
    [
      'adaptive',
      report.adaptiveMsPerToken.toFixed(2),
      report.adaptiveTokensPerRound.toFixed(2),
      report.adaptiveSpeedup.toFixed(2),
    ],
  ]);
}

export function adaptiveRows(report: Decoded): string[][] {
  return [
    ['adaptive / best fixed length', report.adaptiveOverBestFixed.toFixed(2)],
    ['adaptive / plain, slowest prompt', report.adaptiveWorstPrompt.toFixed(2)],
    ...report.adaptiveSources.map(({ name, rounds, drafted, accepted }) => [
      `adaptive: drafts from ${name}`,
      `${String(accepted)} of ${String(drafted)} accepted in ${String(rounds)} rounds`,
    ]),
  ];
}

export function sameTokens(identical: boolean): string {
  return identical ? 'yes' : 'no: a near-tie was broken differently';
}

function fastest(lengths: readonly LengthResult[]): LengthResult {
  return lengths.reduce((best, each) => (each.speedup > best.speedup ? each : best));
}
