// What a long day says about what its processes hold: the trend of each figure, and which of them grow beyond their
// limits. Times are compared, and never judged.
import { percentiles } from '../../../bench/replay/percentiles';
import { growsBeyond, mean, trend, type Trend } from './trend';

/** What a process holds, by the names of `Use` and more. */
export type Held = Partial<Record<(typeof FIGURES)[number]['key'], number>>;

/** Of one process, at one time. */
export interface DaySample {
  readonly hour: number;
  readonly holding: Held;
  /** Milliseconds. */
  readonly times: readonly number[];
}

export interface JudgedFigure extends Trend {
  readonly name: string;
  readonly unit: string;
  /** Most that it may grow in an hour of the day. */
  readonly limit: number;
  readonly grows: boolean;
}

export interface JudgedDay {
  readonly figures: readonly JudgedFigure[];
  /** Medians of the first and the last tenth of the day, and how far those of all tenths lie apart. */
  readonly times: { readonly first: number; readonly last: number; readonly deviation: number };
}

/** In less, memory is still filling caches, and its ups and downs are larger than its trend. */
const MEMORY_HOURS = 2;
/** By then what is to be kept has been filled, such as the cache of what was read. */
const WARM_SHARE = 0.4;
const MB = 1e6;
/** Of whatever is counted: one that stays behind every two hours is a leak. */
const COUNT_LIMIT = 0.5;

const FIGURES = [
  { key: 'residentBytes', name: 'resident memory', unit: 'MB', scale: MB, limit: 8 },
  { key: 'heapBytes', name: 'heap', unit: 'MB', scale: MB, limit: 2 },
  { key: 'externalBytes', name: 'buffers', unit: 'MB', scale: MB, limit: 1 },
  { key: 'handles', name: 'handles', unit: '', scale: 1, limit: COUNT_LIMIT },
  { key: 'timers', name: 'timers', unit: '', scale: 1, limit: COUNT_LIMIT },
  { key: 'listeners', name: 'listeners', unit: '', scale: 1, limit: COUNT_LIMIT },
  { key: 'descriptors', name: 'open files', unit: '', scale: 1, limit: COUNT_LIMIT },
  { key: 'threads', name: 'threads', unit: '', scale: 1, limit: COUNT_LIMIT },
] as const;

export function judgeDay(samples: readonly DaySample[]): JudgedDay {
  const warm = samples.slice(Math.floor(WARM_SHARE * samples.length));
  const hours = (samples.at(-1)?.hour ?? 0) - (samples[0]?.hour ?? 0);
  const figures = FIGURES.filter(({ key }) => warm.some(({ holding }) => key in holding));
  return {
    figures: figures.map(({ key, name, unit, scale, limit }) => {
      const points = warm.map(({ hour, holding }) => ({ at: hour, value: (holding[key] ?? 0) / scale }));
      const found = trend(points);
      const isTelling = unit === '' || hours >= MEMORY_HOURS;
      return { name, unit, limit, ...found, grows: isTelling && growsBeyond(found, limit) };
    }),
    times: comparedTimes(samples),
  };
}

function comparedTimes(samples: readonly DaySample[]): JudgedDay['times'] {
  const tenths = Array.from({ length: 10 }, (_, i) => {
    const part = samples.slice(
      Math.floor((i * samples.length) / 10),
      Math.floor(((i + 1) * samples.length) / 10),
    );
    return percentiles(part.flatMap(({ times }) => times)).p50 ?? NaN;
  });
  const known = tenths.filter((each) => !Number.isNaN(each));
  const deviation = Math.sqrt(mean(known.map((each) => (each - mean(known)) ** 2)));
  return { first: tenths[0] ?? NaN, last: tenths.at(-1) ?? NaN, deviation };
}
