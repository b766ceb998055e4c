// The report of a decode run (`flashline bench`), plainly and with drafts, greedily or with sampling: JSON and text.
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { peakResidentBytes } from '../../server/machine/thisMachine';
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import { tableOf } from '../report';
import type { DecodeFigures } from './decodeBench';

interface Extent {
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

export type BenchReport = ReturnType<typeof benchReport>;

/** The JSON of a run: ratios are medians of ratios taken within one repeat. `sampling` has the first prompt's seed. */
export function benchReport(decoded: DecodeFigures, sampling: SamplingOptions | undefined, extent: Extent) {
  return {
    ...decoded,
    // If drafts are drawn, the text depends on where rounds begin.
    identical: sampling?.acceptance === 'rejection' ? null : decoded.identical,
    peakRssMb: peakResidentBytes() / 1e6,
    ...(sampling && { sampling }),
    ...extent,
    ...benchMachine(),
  };
}

export function renderReport(report: BenchReport): string {
  const { prompts, maxTokens, repeats, identical, sampling } = report;
  const counts = `${String(prompts)} prompts, ${String(maxTokens)} tokens each, ${String(repeats)} repeats`;
  const settings = Object.entries(sampling ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const title = sampling ? `Sampling (${settings.join(', ')}; ${counts})` : `Decoding (${counts})`;
  const facts = table([
    ['adaptive / best fixed length', report.adaptiveOverBestFixed.toFixed(2)],
    ['adaptive / plain, slowest prompt', report.adaptiveWorstPrompt.toFixed(2)],
    ...report.adaptiveSources.map(({ name, rounds, drafted, accepted }) => [
      `adaptive: drafts from ${name}`,
      `${String(accepted)} of ${String(drafted)} accepted in ${String(rounds)} rounds`,
    ]),
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ...(identical === null ? [] : [['same tokens at all draft lengths', sameTokens(identical)]]),
  ]);
  return `${title}\n${byLength(report)}\n\n${facts}\n`;
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

function sameTokens(identical: boolean): string {
  return identical ? 'yes' : 'no: a near-tie was broken differently';
}
