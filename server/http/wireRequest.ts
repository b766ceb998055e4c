// Converts sampling options and limits from the fields of OpenAI's API, vLLM and llama.cpp to Flashline's own, so that
// there is one kind of request.
import * as z from 'zod/mini';
import type { DecodeRequest } from '../engine/decode/decode';
import { MAX_TOKENS, optionsOf, requestFields } from '../engine/request/requestOptions';
import type { SamplingOptions } from '../engine/request/sampling';
import type { LocalModel } from '../hosting/model';
import { isInRange, rangeText, wholeNumbers } from '../rules/numbers';
import { isRecord } from '../rules/json';
import { FLAG, objectOf, TEXT, UNSUPPORTED } from './fieldSchemas';

/** Penalty window that covers the whole text. */
const WHOLE_TEXT = 1_000_000;
/** Replaces a top_p of 0, with the same effect: only the most probable token is kept. */
const MIN_TOP_P = 1e-9;
/** Possible lengths of an output. With 0, the prompt is read into the cache and nothing is generated. */
const LENGTHS = wholeNumbers(0, MAX_TOKENS.max);

/** Accepts all values with which the engine can compute, not only those that the settings allow. */
const OPTION_SCHEMAS = requestFields('possible');
const LENGTH = converted(
  // Agents send limits above the maximum; those count as no limit, like -1, and the maximum applies.
  (value) => (value === -1 || exceeds(value, MAX_TOKENS.max) ? MAX_TOKENS.max : value),
  z.optional(z.custom<number>((value) => isInRange(value, LENGTHS), { error: rangeText(LENGTHS) })),
);
export const LOGPROBS = OPTION_SCHEMAS.logprobs;
/** Number of alternatives to each token. A boolean, as in the chats of OpenAI's API, counts as not set. */
const ALTERNATIVES = converted((value) => (typeof value === 'boolean' ? undefined : value), LOGPROBS);

type Bias = readonly [token: number, bias: number | false];
const BIASES = z.optional(
  z.custom<readonly Bias[]>(isBiases, { error: 'token ids, each with a number from -100 to 100 or false' }),
);

/** Fields of other servers that would change the text. */
const UNSUPPORTED_FIELDS = {
  // OpenAI's.
  functions: UNSUPPORTED,
  // llama.cpp's.
  grammar: UNSUPPORTED,
  json_schema: UNSUPPORTED,
  // SGLang's.
  ebnf: UNSUPPORTED,
  regex: UNSUPPORTED,
  // vLLM's.
  structured_outputs: UNSUPPORTED,
  guided_json: UNSUPPORTED,
  guided_regex: UNSUPPORTED,
  guided_choice: UNSUPPORTED,
  guided_grammar: UNSUPPORTED,
  allowed_token_ids: UNSUPPORTED,
  bad_words: UNSUPPORTED,
  min_tokens: UNSUPPORTED,
  include_stop_str_in_output: UNSUPPORTED,
  use_beam_search: UNSUPPORTED,
} as const;

/** Fields of every endpoint that generates text. */
export const OPTION_FIELDS = {
  model: z.optional(TEXT),
  stream: z._default(FLAG, false),
  cache_prompt: z._default(FLAG, true),
  max_completion_tokens: LENGTH,
  max_tokens: LENGTH,
  n_predict: LENGTH,
  // Drops empty stop strings, which would end nothing.
  stop: converted(withoutEmpty, OPTION_SCHEMAS.stop),
  stop_token_ids: OPTION_SCHEMAS.stopTokenIds,
  temperature: OPTION_SCHEMAS.temperature,
  top_k: converted((value) => (value === -1 ? 0 : value), OPTION_SCHEMAS.topK),
  top_p: converted((value) => (value === 0 ? MIN_TOP_P : value), OPTION_SCHEMAS.topP),
  min_p: converted((value) => (value === -1 ? 0 : value), OPTION_SCHEMAS.minP),
  repetition_penalty: OPTION_SCHEMAS.repetitionPenalty,
  repeat_penalty: OPTION_SCHEMAS.repetitionPenalty,
  presence_penalty: OPTION_SCHEMAS.presencePenalty,
  frequency_penalty: OPTION_SCHEMAS.frequencyPenalty,
  repeat_last_n: converted((value) => (value === -1 ? WHOLE_TEXT : value), OPTION_SCHEMAS.penaltyWindow),
  // As in llama.cpp and vLLM, -1 means no seed. Of other negative seeds, the lower 32 bits are used.
  seed: converted(
    (value) => (value === -1 ? undefined : isWhole(value) && value < 0 ? value >>> 0 : value),
    OPTION_SCHEMAS.seed,
  ),
  logprobs: ALTERNATIVES,
  top_logprobs: ALTERNATIVES,
  n_probs: ALTERNATIVES,
  logit_bias: converted(biasPairs, BIASES),
  ignore_eos: z._default(FLAG, false),
  response_format: z.optional(
    objectOf({ type: z.literal('text', { error: '"text", the only supported format' }) }, 'an object'),
  ),
  ...UNSUPPORTED_FIELDS,
} as const;

/** A decode request in which sampling options and end tokens are always set. */
export interface WireRequest extends DecodeRequest {
  readonly sampling: SamplingOptions;
  readonly stopTokenIds: readonly number[];
}

interface Defaults {
  /** Length of the output for a body without one. */
  readonly maxTokens?: number;
  /** Tokens that end the output in addition to those of the body. */
  readonly endTokenIds?: readonly number[];
}

/**
 * Converts the fields of a body to a request. If the body sets several names of one option, such as `max_tokens` and
 * `n_predict`, the name that the code lists first wins. `promptOnly` is whether the prompt is only read, without an
 * output.
 */
export function wireRequest(
  body: z.infer<z.ZodMiniObject<typeof OPTION_FIELDS>>,
  { engine: { config } }: LocalModel,
  { maxTokens = MAX_TOKENS.max, endTokenIds = [] }: Defaults = {},
) {
  const limit = body.max_completion_tokens ?? body.max_tokens ?? body.n_predict;
  // As in llama.cpp, ignore_eos bans the end tokens. Configs can list ids beyond the vocabulary.
  const ends = [...config.eosTokenIds, ...endTokenIds].filter((id) => id < config.vocabSize);
  const { stopTokenIds = [], ...options } = optionsOf({
    stop: body.stop,
    stopTokenIds: body.stop_token_ids,
    temperature: body.temperature,
    topK: body.top_k,
    topP: body.top_p,
    minP: body.min_p,
    repetitionPenalty: body.repetition_penalty ?? body.repeat_penalty,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    penaltyWindow: body.repeat_last_n,
    seed: body.seed,
    logprobs: body.logprobs ?? body.top_logprobs ?? body.n_probs,
    ...separatedBiases([
      ...(body.logit_bias ?? []),
      ...(body.ignore_eos ? ends.map((id) => [id, false] as const) : []),
    ]),
  });
  const request: WireRequest = {
    ...options,
    maxTokens: limit === undefined ? maxTokens : Math.max(1, limit),
    stopTokenIds: [...endTokenIds, ...stopTokenIds],
    fresh: !body.cache_prompt,
  };
  return { promptOnly: limit === 0, request };
}

/** Creates an optional field that is converted before its check. A value that means "not set" becomes undefined. */
export function converted<T extends z.ZodMiniType>(convert: (value: unknown) => unknown, schema: T) {
  return z.optional(z.pipe(z.transform(convert), schema));
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Returns whether a value is a whole number above `max`, or Infinity, which JSON.parse returns for 1e999. */
function exceeds(value: unknown, max: number): boolean {
  return (isWhole(value) || value === Infinity) && value > max;
}

function withoutEmpty(value: unknown): unknown {
  if (value === '') return undefined;
  return Array.isArray(value) ? value.filter((stop) => stop !== '') : value;
}

/** Converts OpenAI's {"id": bias} to llama.cpp's [[id, bias], ...]. */
function biasPairs(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.entries(value).map(([id, bias]) => [/^\d{1,10}$/.test(id) ? Number(id) : NaN, bias]);
}

function isBiases(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const allowed = value.map((pair: unknown) =>
    Array.isArray(pair) && pair[1] === false ? [pair[0], 0] : pair,
  );
  return OPTION_SCHEMAS.logitBias.safeParse(allowed).success;
}

/** Separates biases from forbidden tokens, whose bias is false. The last of several numbers for a token counts. */
function separatedBiases(pairs: readonly Bias[]) {
  if (pairs.length === 0) return {};
  const forbiddenTokens = new Set(pairs.flatMap(([id, bias]) => (bias === false ? [id] : [])));
  const logitBias = new Map(pairs.flatMap(([id, bias]) => (bias === false ? [] : [[id, bias] as const])));
  return { logitBias: [...logitBias], forbiddenTokens: [...forbiddenTokens] };
}
