// Ranges and defaults of numbers, for settings, requests and the command line.

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** whole: only whole numbers; above: only numbers above `min`; by default all numbers from `min` to `max`. */
  readonly kind?: 'whole' | 'above';
}

export function wholeNumbers(min: number, max: number): NumberRange {
  return { min, max, kind: 'whole' };
}

export function isInRange(value: unknown, { min, max, kind }: NumberRange): value is number {
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false;
  return kind === 'whole' ? Number.isInteger(value) : kind !== 'above' || value > min;
}

/** Describes a range in words, for errors. */
export function rangeText({ min, max, kind }: NumberRange): string {
  if (kind === 'above') return `a number above ${String(min)} and up to ${String(max)}`;
  return `a ${kind === 'whole' ? 'whole ' : ''}number from ${String(min)} to ${String(max)}`;
}

interface SamplingRange {
  /** Values with which the engine can compute; the command line and the HTTP server accept them. */
  readonly possible: NumberRange;
  /** Values that produce usable text; settings and an editor's requests accept only these. */
  readonly sensible: NumberRange;
}

/** Ranges of sampling options, by their names in settings, in requests and in lines of a batch. */
export const SAMPLING_RANGES = {
  temperature: { possible: { min: 0, max: 100 }, sensible: { min: 0, max: 2 } },
  topK: { possible: wholeNumbers(0, 1_000_000), sensible: wholeNumbers(0, 1000) },
  topP: { possible: { min: 0, max: 1, kind: 'above' }, sensible: { min: 0.01, max: 1 } },
  minP: { possible: { min: 0, max: 1 }, sensible: { min: 0, max: 1 } },
  repetitionPenalty: { possible: { min: 0, max: 100, kind: 'above' }, sensible: { min: 0.1, max: 10 } },
  presencePenalty: { possible: { min: -100, max: 100 }, sensible: { min: -2, max: 2 } },
  frequencyPenalty: { possible: { min: -100, max: 100 }, sensible: { min: -2, max: 2 } },
  penaltyWindow: { possible: wholeNumbers(0, 1_000_000), sensible: wholeNumbers(0, 4096) },
  seed: { possible: wholeNumbers(0, 2 ** 32 - 1), sensible: wholeNumbers(0, 2 ** 32 - 1) },
  logprobs: { possible: wholeNumbers(0, 100), sensible: wholeNumbers(0, 20) },
} as const satisfies Readonly<Record<string, SamplingRange>>;

/** Defaults of sampling options for local and remote engines: plain greedy decoding. */
export const SAMPLING_DEFAULTS = {
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  repetitionPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  // The default of mlx-lm.
  penaltyWindow: 20,
};
