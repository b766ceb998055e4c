// Numbers: their ranges in settings, in requests and on the command line, the middle of some, and their short text.

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Whole numbers only, or numbers above `min` only; any by default. */
  readonly kind?: 'whole' | 'above';
}

export function whole(min: number, max: number): NumberRange {
  return { min, max, kind: 'whole' };
}

export function isInRange(value: unknown, { min, max, kind }: NumberRange): value is number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return kind === 'whole' ? Number.isInteger(value) : kind !== 'above' || value > min;
}

/** The expected range, in words. */
export function rangeText({ min, max, kind }: NumberRange): string {
  if (kind === 'above') return `a number above ${String(min)} and up to ${String(max)}`;
  return `a ${kind === 'whole' ? 'whole ' : ''}number from ${String(min)} to ${String(max)}`;
}

interface SamplingRange {
  /** What the engine can compute with, and the command line accepts. */
  readonly possible: NumberRange;
  /** What still produces usable text; settings and an editor's requests accept only this. */
  readonly sensible: NumberRange;
}

/** Of the sampling numbers, by their names in settings, in requests and in a line of a batch. */
export const SAMPLING_RANGES = {
  temperature: { possible: { min: 0, max: 100 }, sensible: { min: 0, max: 2 } },
  topK: { possible: whole(0, 1_000_000), sensible: whole(0, 1000) },
  topP: { possible: { min: 0, max: 1, kind: 'above' }, sensible: { min: 0.01, max: 1 } },
  minP: { possible: { min: 0, max: 1 }, sensible: { min: 0, max: 1 } },
  repetitionPenalty: { possible: { min: 0, max: 100, kind: 'above' }, sensible: { min: 0.1, max: 10 } },
  presencePenalty: { possible: { min: -100, max: 100 }, sensible: { min: -2, max: 2 } },
  frequencyPenalty: { possible: { min: -100, max: 100 }, sensible: { min: -2, max: 2 } },
  penaltyWindow: { possible: whole(0, 1_000_000), sensible: whole(0, 4096) },
  seed: { possible: whole(0, 2 ** 32 - 1), sensible: whole(0, 2 ** 32 - 1) },
  logprobs: { possible: whole(0, 100), sensible: whole(0, 20) },
} as const satisfies Readonly<Record<string, SamplingRange>>;

// The middle of some measurements, which one slow run cannot move.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

// The format of numbers as short text, the same in the status bar, the panel, the command line and in errors.
// No thousands separators, so that they can be copied and compared.

export function formatRate(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

export function formatRatio(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatPercent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}

export function formatMs(value: number): string {
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toFixed(1)} ms`;
}

/** Of bytes, in decimal units, as for disks and downloads. */
export function formatSize(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
