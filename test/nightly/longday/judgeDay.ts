// Judges the resources of processes over a long day: the trend of each figure, and those that grow beyond their limits.
// Times are compared but not judged.
import { percentiles } from '../../../bench/replay/percentiles';
import { growsBeyond, parts, trend, type Trend } from './trend';

/** Sample of one process at one time. */
export interface DaySample {
  readonly hour: number;
  /** Resources of the process: the fields of `ResourceUse`, and of the server `timers`, `descriptors` and `threads`. */
  readonly resources: Readonly<Record<string, number>>;
  /** Milliseconds to suggestions, if measured. */
  readonly times?: readonly number[];
}

interface JudgedFigure extends Trend {
  readonly name: string;
  /** Limit of growth per hour. */
  readonly limit: number;
  readonly grows: boolean;
}

/** Shortest day whose memory is judged. In less time, caches still fill, and noise exceeds the trend. */
const MEMORY_HOURS = 2;
/** Share of the day after which caches are full. */
const WARM_SHARE = 0.4;
/** Limit of growth of counts, per hour: one more every two hours is a leak. */
const COUNT_LIMIT = 0.5;

/** Fields in bytes, with their names in the report and their limits of growth in MB per hour. */
const MEGABYTES = [
  ['residentBytes', 'resident memory (MB)', 8],
  ['heapBytes', 'heap (MB)', 2],
  ['externalBytes', 'buffers (MB)', 1],
] as const;
const COUNTS = [
  ...(['handles', 'timers', 'listeners', 'threads'] as const).map((key) => [key, key] as const),
  ['descriptors', 'open files'] as const,
];
const FIGURES = [
  ...MEGABYTES.map(([key, name, limit]) => ({ key, name, limit, unit: 1e6, hours: MEMORY_HOURS })),
  ...COUNTS.map(([key, name]) => ({ key, name, limit: COUNT_LIMIT, unit: 1, hours: 0 })),
];

export function judgeDay(samples: readonly DaySample[]): JudgedFigure[] {
  const warm = samples.slice(Math.floor(WARM_SHARE * samples.length));
  const length = (samples.at(-1)?.hour ?? 0) - (samples[0]?.hour ?? 0);
  const reported = FIGURES.filter(({ key }) => warm.some(({ resources }) => key in resources));
  return reported.map(({ key, name, limit, unit, hours }) => {
    const fitted = trend(
      warm.map(({ hour, resources }) => ({ at: hour, value: (resources[key] ?? 0) / unit })),
    );
    return { name, limit, ...fitted, grows: length >= hours && growsBeyond(fitted, limit) };
  });
}

/** Returns the median times of each tenth of the day. */
export function medians(samples: readonly DaySample[]): number[] {
  return parts(samples, 10).map((part) => percentiles(part.flatMap(({ times = [] }) => times)).p50 ?? NaN);
}
