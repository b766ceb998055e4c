// The figures of one benchmark run, and how they read.
import { peakResidentBytes } from '../../models/peakResidentBytes';
import { table } from '../statsTable';
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
  const best = fastest(decoded.lengths);
  return {
    plainMsPerToken: decoded.plainMsPerToken,
    speculativeMsPerToken: best.msPerToken,
    speedup: best.speedup,
    tokensPerRound: best.tokensPerRound,
    bestDraftLength: best.draftLength,
    floorMs: verify.floorMs,
    plainOverFloor: verify.plainOverFloor,
    verify16OverPlain: verify.verify16OverPlain,
    graphBuildShare: decoded.graphBuildShare,
    peakRssMb: peakResidentBytes() / 1e6,
    identical: decoded.identical,
    adaptiveMsPerToken: decoded.adaptive.msPerToken,
    adaptiveSpeedup: decoded.adaptive.speedup,
    adaptiveOverBestFixed: decoded.adaptive.overBestFixed,
    adaptiveWorstPrompt: decoded.adaptive.worstPrompt,
    adaptiveTokensPerRound: decoded.adaptive.tokensPerRound,
    adaptiveSources: decoded.adaptive.sources,
    lengths: decoded.lengths,
    verifyMsByWidth: verify.msByWidth,
    ...rest,
  };
}

export function renderReport(report: BenchReport): string {
  const byLength = table([
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
  const byWidth = table([
    ['rows', ...report.verifyMsByWidth.map((_, i) => String(i + 1))],
    ['ms', ...report.verifyMsByWidth.map((ms) => ms.toFixed(1))],
  ]);
  const sources = report.adaptiveSources.map(({ name, rounds, drafted, accepted }) => [
    `adaptive: drafts of ${name}`,
    `${String(accepted)} of ${String(drafted)} accepted in ${String(rounds)} rounds`,
  ]);
  const steps = table([
    ['adaptive / best fixed length', report.adaptiveOverBestFixed.toFixed(2)],
    ['adaptive / plain, slowest prompt', report.adaptiveWorstPrompt.toFixed(2)],
    ...sources,
    ['bare products of a step', `${report.floorMs.toFixed(2)} ms`],
    ['plain step / bare products', report.plainOverFloor.toFixed(2)],
    [
      `verify ${String(report.verifyMsByWidth.length)} rows / plain step`,
      report.verify16OverPlain.toFixed(2),
    ],
    ['graph building', `${(100 * report.graphBuildShare).toFixed(1)} % of a plain step`],
    [`prefill of ${String(PREFILL_TOKENS)} tokens`, `${report.prefillTokensPerSecond.toFixed(0)} tok/s`],
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ['same tokens at all draft lengths', report.identical ? 'yes' : 'no: a near-tie was broken differently'],
  ]);
  const counts = `${String(report.prompts)} prompts, ${String(report.maxTokens)} tokens each, ${String(report.repeats)} repeats`;
  return `Decoding (${counts})\n${byLength}\n\nVerify cost\n${byWidth}\n\nStep\n${steps}\n`;
}

function fastest(lengths: readonly LengthResult[]): LengthResult {
  return lengths.reduce((best, each) => (each.speedup > best.speedup ? each : best));
}
