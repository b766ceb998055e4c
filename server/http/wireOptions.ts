// The names that OpenAI's API, vLLM and llama.cpp have for sampling and limits, as the options of a request. The fields
// that they do not share with the rest of Flashline are turned into it here, so that there is one kind of request.
import { MAX_TOKENS, requestOptions, type RequestOptions } from '../engine/request/requestOptions';
import { isRecord } from '../rules/record';
import { HttpError, wrongField } from './httpError';
import { present, type Fields } from './requestBody';

/** Under several names the first one given counts. */
const NAMES = {
  maxTokens: ['max_completion_tokens', 'max_tokens', 'n_predict'],
  stop: ['stop'],
  stopTokenIds: ['stop_token_ids'],
  temperature: ['temperature'],
  topK: ['top_k'],
  topP: ['top_p'],
  minP: ['min_p'],
  repetitionPenalty: ['repetition_penalty', 'repeat_penalty'],
  presencePenalty: ['presence_penalty'],
  frequencyPenalty: ['frequency_penalty'],
  penaltyWindow: ['repeat_last_n'],
  seed: ['seed'],
  logprobs: ['logprobs', 'top_logprobs', 'n_probs'],
  logitBias: ['logit_bias'],
} as const;

/** Fields of other servers that would change the text and that this one does not have. */
const UNSUPPORTED = ['grammar', 'json_schema', 'guided_json', 'guided_regex', 'guided_choice', 'functions'];
const MOST_STOPS = 120_000;
/** The largest window of the penalties: the whole text. */
const WHOLE_TEXT = 1_000_000;
/** Keeps the most probable token alone, which is what a top_p of 0 means. */
const LEAST_TOP_P = 1e-9;

export interface WireOptions extends RequestOptions {
  /** Undefined where the output may be as long as it gets. */
  readonly maxTokens?: number;
  /** The prompt is read, but no token is requested. */
  readonly promptOnly: boolean;
}

/** Throws HttpError for the first field that cannot be used. */
export function wireOptions(body: Fields): WireOptions {
  const given = present(body);
  const unsupported = UNSUPPORTED.find((field) => field in given && given[field] !== '');
  if (unsupported !== undefined) throw notSupported(unsupported);
  const names = new Map<string, string>();
  const fields: Record<string, unknown> = {};
  for (const [name, wires] of Object.entries(NAMES)) {
    const wire = wires.find((each) => each in given);
    const value = wire === undefined ? undefined : converted(name, given[wire]);
    if (wire === undefined || value === undefined) continue;
    names.set(name, wire);
    fields[name] = value;
  }
  const { logitBias, forbiddenTokens } = biasOf(fields['logitBias']);
  const promptOnly = fields['maxTokens'] === 0;
  const options = requestOptions(
    {
      ...fields,
      ...(promptOnly && { maxTokens: 1 }),
      logitBias,
      forbiddenTokens,
    },
    (field, expected, got) => wrongField(names.get(field) ?? field, expected, got),
  );
  return { ...options, promptOnly };
}

export function notSupported(field: string, instead = 'leave it out'): HttpError {
  return new HttpError(400, {
    message: `Expected no ${field}, got one, which this server does not support; ${instead}`,
    param: field,
    code: 'unsupported_parameter',
  });
}

/** The values that other servers write differently; undefined for those that mean "not set". */
function converted(name: string, value: unknown): unknown {
  if (name === 'penaltyWindow') return value === -1 ? WHOLE_TEXT : value;
  if (name === 'topK' || name === 'minP') return value === -1 ? 0 : value;
  if (name === 'topP') return value === 0 ? LEAST_TOP_P : value;
  if (name === 'maxTokens') return value === -1 || isMore(value) ? MAX_TOKENS.max : value;
  // As llama.cpp and vLLM take them: -1 is none, and of others 32 bits count.
  if (name === 'seed') return value === -1 ? undefined : isNegative(value) ? value >>> 0 : value;
  if (name === 'stop') return stopsOf(value);
  if (name === 'logprobs') return typeof value === 'boolean' ? undefined : value;
  return value;
}

/** More than any context has, as agents ask for: the output ends with the context. */
function isMore(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > MAX_TOKENS.max;
}

function isNegative(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value < 0;
}

/** An empty text ends nothing. Throws HttpError for a list that would take long at every token. */
function stopsOf(value: unknown): unknown {
  if (value === '') return undefined;
  if (!Array.isArray(value)) return value;
  if (value.length > MOST_STOPS) throw wrongField('stop', `at most ${String(MOST_STOPS)} texts`, value);
  return value.filter((stop) => stop !== '');
}

/** From {"id": bias} of OpenAI or [[id, bias], ...] of llama.cpp, where a bias of false forbids the token. */
function biasOf(value: unknown): { logitBias?: unknown; forbiddenTokens?: unknown } {
  if (value === undefined) return {};
  const pairs: unknown = isRecord(value)
    ? Object.entries(value).map(([id, bias]: [string, unknown]) => [tokenId(id), bias])
    : value;
  if (!Array.isArray(pairs)) return { logitBias: value };
  const given: readonly unknown[] = pairs;
  const isBan = (pair: unknown): pair is readonly unknown[] => Array.isArray(pair) && pair[1] === false;
  const forbiddenTokens = [...new Set(given.filter(isBan).map(([id]) => id))];
  // The last one of a token counts.
  const biased = new Map(given.flatMap((pair) => (isBan(pair) ? [] : [[firstOf(pair), pair] as const])));
  return {
    logitBias: [...biased.values()],
    ...(forbiddenTokens.length > 0 && { forbiddenTokens }),
  };
}

function firstOf(pair: unknown): unknown {
  return Array.isArray(pair) ? pair[0] : pair;
}

function tokenId(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : NaN;
}
