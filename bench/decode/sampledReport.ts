// The figures of a benchmark run with sampling, as JSON and as text.
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { peakResidentBytes } from '../../server/models/mlx/peakResidentBytes';
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import type { DecodeBenchResult } from './decodeBench';
import { adaptiveFigures, adaptiveRows, bestFigures, byLength, counts, sameTokens } from './decodeReport';
import type { SamplerCost } from './samplerCost';

export interface SampledMeasurements {
  /** The first prompt's seed included. */
  readonly sampling: SamplingOptions;
  readonly decoded: DecodeBenchResult;
  readonly sampler: readonly SamplerCost[];
  readonly prompts: number;
  readonly maxTokens: number;
  readonly repeats: number;
}

export type SampledReport = ReturnType<typeof sampledReport>;

/** The JSON of a run: the same names as in the report without sampling. */
export function sampledReport({ sampling, decoded, sampler, ...rest }: SampledMeasurements) {
  const acceptance = sampling.acceptance ?? 'match';
  return {
    ...bestFigures(decoded),
    graphBuildShare: decoded.graphBuildShare,
    peakRssMb: peakResidentBytes() / 1e6,
    // If drafts are drawn, the text depends on where rounds begin.
    identical: acceptance === 'match' ? decoded.identical : null,
    ...adaptiveFigures(decoded),
    lengths: decoded.lengths,
    sampling: { ...sampling, acceptance },
    sampler,
    ...rest,
    ...benchMachine(),
  };
}

export function renderSampledReport(report: SampledReport): string {
  const { sampling, sampler, identical } = report;
  const settings = Object.entries(sampling)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
  const cost = table([
    ['rows', 'ms', 'sampler', 'sampler in JavaScript'],
    ...sampler.map(({ rows, ms, share, hostMs }) => [
      String(rows),
      ms.toFixed(1),
      `${(100 * share).toFixed(1)} %`,
      `${hostMs.toFixed(2)} ms`,
    ]),
  ]);
  const rows = table([
    ...adaptiveRows(report),
    ['graph building', `${(100 * report.graphBuildShare).toFixed(1)} % of a plain step`],
    ['peak memory', `${report.peakRssMb.toFixed(0)} MB`],
    ...(identical === null ? [] : [['same tokens at all draft lengths', sameTokens(identical)]]),
  ]);
  return `Sampling (${settings}; ${counts(report)})\n${byLength(report)}\n\nSampler (share of a pass)\n${cost}\n\nStep\n${rows}\n`;
}
