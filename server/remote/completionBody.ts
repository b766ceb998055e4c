// Converts a request to the body of /v1/completions or of llama.cpp's /infill.
import type { DecodeRequest } from '../engine/decode/decode';
import type { SamplingOptions } from '../engine/request/sampling';
import { defined } from '../rules/defined';
import { SAMPLING_DEFAULTS } from '../rules/numbers';
import type { PromptText } from './textTokenizer';

/** A prompt as text, possibly with a suffix, or as token ids. */
export type RemotePrompt = PromptText | { readonly prompt: readonly number[]; readonly suffix?: undefined };

/** Limit of stop strings: OpenAI's servers refuse more, and others follow them. */
const MAX_STOPS = 4;

/**
 * Returns a body of /infill, as llama.cpp does not fill in at /v1/completions; undefined for a prompt without a suffix.
 */
export function infillBody({ prompt, suffix }: RemotePrompt, request: DecodeRequest): object | undefined {
  if (suffix === undefined) return undefined;
  const { maxTokens, stopStrings = [], sampling = {} } = request;
  return {
    input_prefix: prompt,
    input_suffix: suffix,
    n_predict: maxTokens,
    stream: true,
    cache_prompt: true,
    timings_per_token: true,
    stop: stopStrings.slice(0, MAX_STOPS),
    ...llamaSampling(sampling),
  };
}

/** Returns llama.cpp's sampling fields. Includes defaults, as llama.cpp's own defaults cut the distribution. */
function llamaSampling(sampling: SamplingOptions): object {
  const { temperature, topP, topK, minP, seed, ...rest } = { ...SAMPLING_DEFAULTS, ...defined(sampling) };
  return {
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repeat_penalty: rest.repetitionPenalty,
    presence_penalty: rest.presencePenalty,
    frequency_penalty: rest.frequencyPenalty,
    ...(seed !== undefined && temperature > 0 && { seed }),
  };
}

/**
 * Returns a body of /v1/completions. `extension` adds fields beyond OpenAI's: those of llama.cpp, or those that vLLM,
 * SGLang and `flashline serve` understand.
 */
export function completionBody(
  model: string,
  prompt: RemotePrompt,
  { maxTokens, stopStrings = [], stopTokenIds = [], sampling = {} }: DecodeRequest,
  extension: 'llama' | 'other' | undefined,
): object {
  const { temperature, topP, topK, minP, seed, ...rest } = { ...SAMPLING_DEFAULTS, ...defined(sampling) };
  const { repetitionPenalty, presencePenalty, frequencyPenalty } = rest;
  const sendsIds = typeof prompt.prompt !== 'string';
  return {
    ...(model !== '' && { model }),
    ...prompt,
    max_tokens: maxTokens,
    stream: true,
    // Most outputs are not read to their end; continuous usage counts their tokens too.
    stream_options: { include_usage: true, ...(extension && { continuous_usage_stats: true }) },
    temperature,
    ...((topP !== 1 || temperature > 0) && { top_p: topP }),
    ...(seed !== undefined && temperature > 0 && { seed }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(stopStrings.length > 0 && { stop: stopStrings.slice(0, MAX_STOPS) }),
    ...(extension === 'llama' && { timings_per_token: true, ...llamaSampling(sampling) }),
    ...(extension === 'other' && {
      ...(sendsIds && stopTokenIds.length > 0 && { stop_token_ids: stopTokenIds }),
      // vLLM and SGLang replace absent fields by those of the model's generation_config.json. No value of top_k that
      // means "all" is understood by every server, so an absent top_k can still be replaced.
      repetition_penalty: repetitionPenalty,
      ...(temperature > 0 && { min_p: minP }),
      ...(topK !== 0 && { top_k: topK }),
    }),
  };
}
