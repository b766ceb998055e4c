// The options of a request that say how tokens are chosen and where the output ends, as named fields: of a line of a
// batch, of an editor's request and of an HTTP body alike. Checks them; loads nothing of the engine.
import { isInRange, rangeText, whole, type NumberRange } from '../../rules/numberRange';
import { SAMPLING_RANGES } from '../../rules/samplingRanges';
import { SERVER_SETTINGS } from '../../rules/serverSettings';
import type { DecodeRequest } from '../decode/decode';
import type { SamplingNumbers, SamplingOptions } from './sampling';

/** Of the output, in tokens. */
export const MAX_TOKENS = whole(1, 100_000);
const TOKEN_ID = whole(0, 2 ** 31 - 1);
/** Beyond that, a bias is a ban or a command; the same limits as in OpenAI's API. */
const BIAS = { min: -100, max: 100 };

export const SAMPLING_FIELDS: readonly string[] = [
  ...Object.keys(SAMPLING_RANGES),
  'forbiddenTokens',
  'logitBias',
];
/** All fields. A bias is a list of [token id, bias]. */
export const REQUEST_FIELDS: readonly string[] = ['maxTokens', 'stop', ...SAMPLING_FIELDS, 'stopTokenIds'];

/** Only what was given. */
export interface RequestOptions extends Partial<Pick<DecodeRequest, 'maxTokens'>> {
  readonly stopStrings?: readonly string[];
  readonly stopTokenIds?: readonly number[];
  readonly repetitionGuard?: boolean;
  readonly sampling: SamplingOptions;
}

type Fields = Readonly<Record<string, unknown>>;

/** Makes the error for a field from what was expected of it and what is there. */
export type Wrong = (field: string, expected: string, got: unknown) => Error;

/** Throws what `wrong` makes of the first field that cannot be used. `ranges` are those of samplingRanges.ts. */
export function requestOptions(
  fields: Fields,
  wrong: Wrong,
  ranges: 'possible' | 'sensible' = 'possible',
): RequestOptions {
  const read = reader(fields, wrong);
  const stop = read('stop', 'a non-empty string or a list of such strings', isStop);
  return defined({
    maxTokens: read('maxTokens', rangeText(MAX_TOKENS), inRange(MAX_TOKENS)),
    stopStrings: typeof stop === 'string' ? [stop] : stop,
    stopTokenIds: read('stopTokenIds', 'a list of token ids', isIds),
    repetitionGuard: read('repetitionGuard', 'true or false', (value) => typeof value === 'boolean'),
    sampling: defined({
      ...samplingNumbers((name, range) => read(name, rangeText(range), inRange(range)), ranges),
      forbiddenTokens: read('forbiddenTokens', 'a list of token ids', isIds),
      logitBias: read('logitBias', 'a list of token ids, each with a number from -100 to 100', isBias),
      acceptance: read('acceptance', SERVER_SETTINGS.generate.acceptance.expected, isAcceptance),
    }),
  });
}

/** What `read` returns for each sampling number and its range, where that is not undefined. */
export function samplingNumbers(
  read: (name: string, range: NumberRange) => number | undefined,
  ranges: 'possible' | 'sensible' = 'possible',
): SamplingNumbers {
  return defined(
    Object.fromEntries(
      Object.entries(SAMPLING_RANGES).map(([name, range]) => [name, read(name, range[ranges])]),
    ),
  );
}

function reader(fields: Fields, wrong: Wrong) {
  return <T>(field: string, expected: string, takes: (value: unknown) => value is T): T | undefined => {
    const value = fields[field];
    if (value === undefined || takes(value)) return value;
    throw wrong(field, expected, value);
  };
}

function defined<T extends object>(values: { [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
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

function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((id) => isInRange(id, TOKEN_ID));
}

function isBias(value: unknown): value is readonly (readonly [number, number])[] {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && isInRange(pair[0], TOKEN_ID) && isInRange(pair[1], BIAS);
  return Array.isArray(value) && value.every(isPair);
}

function isAcceptance(value: unknown): value is NonNullable<SamplingOptions['acceptance']> {
  return SERVER_SETTINGS.generate.acceptance.takes(value);
}
