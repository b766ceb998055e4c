// How tokens are chosen, as a client says it: in its settings, where a wrong value falls back to its default, and with
// a request, where it is refused. Knows neither.
import type { SamplingOverrides, SamplingSettings } from '../protocol';

export const DEFAULT_SAMPLING: SamplingSettings = {
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  repetitionPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  penaltyWindow: 20,
  seed: null,
  acceptance: 'match',
  repetitionGuard: false,
};

interface Form {
  readonly expected: string;
  readonly takes: (value: unknown) => boolean;
}

const FORMS: Readonly<Record<keyof SamplingOverrides, Form>> = {
  temperature: number(0, 2),
  topK: whole(0, 1000),
  topP: number(0.01, 1),
  minP: number(0, 1),
  repetitionPenalty: number(0.1, 10),
  presencePenalty: number(-2, 2),
  frequencyPenalty: number(-2, 2),
  penaltyWindow: whole(0, 4096),
  seed: orNull(whole(0, 2 ** 32 - 1)),
  acceptance: {
    expected: 'match or rejection',
    takes: (value) => value === 'match' || value === 'rejection',
  },
  repetitionGuard: { expected: 'true or false', takes: (value) => typeof value === 'boolean' },
  logprobs: whole(0, 20),
};
const SETTINGS = Object.keys(DEFAULT_SAMPLING);

/** Of the settings; anything of the wrong form counts as not given. */
export function parseSamplingSettings(value: unknown): SamplingSettings {
  return { ...DEFAULT_SAMPLING, ...rightOnes(value, SETTINGS) };
}

/** Of a request. What is wrong with the first wrong value goes to `refuse`. */
export function parseSamplingOverrides(
  value: unknown,
  refuse: (complaint: string) => Error,
): SamplingOverrides {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw refuse('Expected sampling to be an object, got something else; leave it out');
  for (const [name, { expected, takes }] of Object.entries(FORMS)) {
    const given = value[name];
    if (given === undefined || takes(given)) continue;
    const got = typeof given === 'number' ? String(given) : `a value of type ${typeof given}`;
    throw refuse(`Expected sampling.${name} to be ${expected}, got ${got}; correct it`);
  }
  return rightOnes(value, Object.keys(FORMS));
}

/** Of settings that have nothing else; undefined for anything of the wrong form. */
export function parseTemperature(value: unknown): number | undefined {
  return rightOnes(value, ['temperature']).temperature;
}

function rightOnes(value: unknown, names: readonly string[]): SamplingOverrides {
  const given = isRecord(value) ? value : {};
  const forms = Object.entries(FORMS).filter(([name]) => names.includes(name));
  const right = forms.filter(([name, { takes }]) => takes(given[name]));
  return Object.fromEntries(right.map(([name]) => [name, given[name]]));
}

function number(min: number, max: number): Form {
  return {
    expected: `a number from ${String(min)} to ${String(max)}`,
    takes: (value) => typeof value === 'number' && value >= min && value <= max,
  };
}

function whole(min: number, max: number): Form {
  return {
    expected: `a whole number from ${String(min)} to ${String(max)}`,
    takes: (value) => Number.isInteger(value) && number(min, max).takes(value),
  };
}

function orNull({ expected, takes }: Form): Form {
  return { expected: `${expected}, or null`, takes: (value) => value === null || takes(value) };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
