// Checks the fields of a request that control sampling and the end of the output. Batch lines, editor requests and HTTP
// bodies share them. It does not load MLX.
import * as z from 'zod/mini';
import { defined } from '../../rules/defined';
import { isInRange, rangeText, wholeNumbers, type NumberRange, SAMPLING_RANGES } from '../../rules/numbers';
import { SERVER_SETTINGS } from '../../rules/serverSettings';
import type { SamplingOptions } from './sampling';

/** Range of the output's length, in tokens. */
export const MAX_TOKENS = wholeNumbers(1, 100_000);
const TOKEN_ID = wholeNumbers(0, 2 ** 31 - 1);
/** OpenAI's limits of a bias: the lower one bans a token, the upper one forces it. */
const BIAS = { min: -100, max: 100 };

/** Names of the sampling options in a line of a batch. */
export const SAMPLING_FIELDS: readonly string[] = [
  ...Object.keys(SAMPLING_RANGES),
  'forbiddenTokens',
  'logitBias',
];
/** Fields of a line of a batch, in addition to its prompt. `logitBias` is a list of [token id, bias]. */
export const BATCH_FIELDS: readonly string[] = ['maxTokens', 'stop', ...SAMPLING_FIELDS, 'stopTokenIds'];

/** Checked options; fields that were not given are absent. */
interface RequestOptions {
  readonly maxTokens?: number;
  readonly stopStrings?: readonly string[];
  readonly stopTokenIds?: readonly number[];
  readonly repetitionGuard?: boolean;
  readonly sampling: SamplingOptions;
}

/** Creates the error for a wrong field. */
type FieldError = (field: string, expected: string, got: unknown) => Error;

type Ranges = 'possible' | 'sensible';

/**
 * Returns a schema for each field, whose error describes the expected value. `ranges` selects the ranges of numbers.ts.
 */
export function requestFields(ranges: Ranges) {
  const numbers = samplingNumbers((_, range) => field(rangeText(range), inRange(range)), ranges);
  return {
    maxTokens: field(rangeText(MAX_TOKENS), inRange(MAX_TOKENS)),
    stop: field('a non-empty string or a list of such strings', isStop),
    stopTokenIds: field('a list of token ids', isTokenIds),
    repetitionGuard: field('true or false', (value) => typeof value === 'boolean'),
    ...numbers,
    forbiddenTokens: field('a list of token ids', isTokenIds),
    logitBias: field('a list of token ids, each with a number from -100 to 100', isBiases),
    acceptance: field(SERVER_SETTINGS.generate.acceptance.expected, isAcceptance),
  };
}

const SCHEMAS = {
  possible: z.object(requestFields('possible')),
  sensible: z.object(requestFields('sensible')),
};

/** Checks fields, and returns them as options. Throws the error that `fieldError` creates for the first wrong field. */
export function requestOptions(
  fields: Readonly<Record<string, unknown>>,
  fieldError: FieldError,
  ranges: Ranges = 'possible',
): RequestOptions {
  const { data, error } = SCHEMAS[ranges].safeParse(fields);
  if (data) return optionsOf(data);
  const { path, message } = error.issues[0] ?? { path: [], message: 'something else' };
  const name = String(path[0]);
  throw fieldError(name, message, fields[name]);
}

/** Maps checked fields to options. */
export function optionsOf(fields: z.infer<(typeof SCHEMAS)['possible']>): RequestOptions {
  const { maxTokens, stop, stopTokenIds, repetitionGuard, ...sampling } = fields;
  return defined({
    maxTokens,
    stopStrings: typeof stop === 'string' ? [stop] : stop,
    stopTokenIds,
    repetitionGuard,
    sampling: defined(sampling),
  });
}

function field<T>(expected: string, takes: (value: unknown) => value is T) {
  return z.optional(z.custom<T>(takes, { error: expected }));
}

/** Calls `read` for each sampling number with its range, and keeps the results that are not undefined. */
export function samplingNumbers<T>(
  read: (name: string, range: NumberRange) => T,
  ranges: Ranges = 'possible',
): { readonly [Name in keyof typeof SAMPLING_RANGES]: T } {
  return defined(
    Object.fromEntries(
      Object.entries(SAMPLING_RANGES).map(([name, range]) => [name, read(name, range[ranges])]),
    ) as { [Name in keyof typeof SAMPLING_RANGES]: T },
  );
}

function inRange(range: NumberRange) {
  return (value: unknown): value is number => isInRange(value, range);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isStop(value: unknown): value is string | readonly string[] {
  return isText(value) || (Array.isArray(value) && value.every(isText));
}

function isTokenIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((id) => isInRange(id, TOKEN_ID));
}

function isBiases(value: unknown): value is readonly (readonly [number, number])[] {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && isInRange(pair[0], TOKEN_ID) && isInRange(pair[1], BIAS);
  return Array.isArray(value) && value.every(isPair);
}

function isAcceptance(value: unknown): value is NonNullable<SamplingOptions['acceptance']> {
  return SERVER_SETTINGS.generate.acceptance.accepts(value);
}
