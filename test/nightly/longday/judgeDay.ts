// What a long day says about what its processes hold: the trend of each figure, and which of them grow beyond their
// limits. Times are compared, and never judged.
import { percentiles } from '../../../bench/replay/percentiles';
import { growsBeyond, parts, trend, type Trend } from './trend';

/** Of one process, at one time. */
export interface DaySample {
  readonly hour: number;
  /** What the process holds, by the names of `Use` and more. */
  readonly holding: Readonly<Record<string, number>>;
  /** Milliseconds to suggestions, where they were measured. */
  readonly times?: readonly number[];
}

interface JudgedFigure extends Trend {
  readonly name: string;
  /** Most that it may grow in an hour of the day. */
  readonly limit: number;
  readonly grows: boolean;
}

/** In less, memory is still filling caches, and its ups and downs are larger than its trend. */
const MEMORY_HOURS = 2;
/** By then what is to be kept has been filled, such as the cache of what was read. */
const WARM_SHARE = 0.4;
/** Of whatever is counted: one that stays behind every two hours is a leak. */
const COUNT_LIMIT = 0.5;

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
  const told = FIGURES.filter(({ key }) => warm.some(({ holding }) => key in holding));
  return told.map(({ key, name, limit, unit, hours }) => {
    const found = trend(warm.map(({ hour, holding }) => ({ at: hour, value: (holding[key] ?? 0) / unit })));
    return { name, limit, ...found, grows: length >= hours && growsBeyond(found, limit) };
  });
}

/** Of the times of each tenth of the day. */
export function medians(samples: readonly DaySample[]): number[] {
  return parts(samples, 10).map((part) => percentiles(part.flatMap(({ times = [] }) => times)).p50 ?? NaN);
}
