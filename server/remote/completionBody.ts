// A request as a body of /v1/completions.
import type { DecodeRequest } from '../engine/decode/decode';
import type { PromptText } from './remoteTokenizer';

export type RemotePrompt = PromptText | { readonly prompt: readonly number[]; readonly suffix?: undefined };

/** OpenAI's own servers, and others after them, refuse more stop strings. */
const MOST_STOPS = 4;

/** What a server may not know: the fields beyond OpenAI's, and one that few servers take. */
export type OptionalField = 'extension' | 'suffix';

const EXTENSIONS = /continuous_usage_stats|stop_token_ids|top_k|min_p|repetition_penalty/;
/** Of an error, to find a name in. */
const MOST_BYTES = 65_536;

/** Which of them an answer names that takes the request for a wrong one; undefined for others. Never throws. */
export async function namedFields({ status, body }: Response): Promise<readonly OptionalField[] | undefined> {
  if (status !== 400 && status !== 422) return undefined;
  let text = '';
  const fields: OptionalField[] = [];
  const decoder = new TextDecoder();
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MOST_BYTES) break;
    }
  } catch {
    // What has arrived is all there is to know.
  }
  if (EXTENSIONS.test(text)) fields.push('extension');
  if (/suffix/i.test(text)) fields.push('suffix');
  return fields;
}

/** A body of llama.cpp's /infill, whose server does not fill in at /v1/completions; undefined for other prompts. */
export function infillBody({ prompt, suffix }: RemotePrompt, request: DecodeRequest): object | undefined {
  if (suffix === undefined) return undefined;
  const { maxTokens, stopStrings = [], sampling = {} } = request;
  const { temperature = 0, topP = 1, topK = 0, minP = 0, seed, repetitionPenalty = 1 } = sampling;
  return {
    input_prefix: prompt,
    input_suffix: suffix,
    n_predict: maxTokens,
    stream: true,
    cache_prompt: true,
    timings_per_token: true,
    stop: stopStrings.slice(0, MOST_STOPS),
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repeat_penalty: repetitionPenalty,
    ...(seed !== undefined && temperature > 0 && { seed }),
  };
}

/** An extension adds fields beyond OpenAI's, which vLLM, SGLang, llama.cpp and `flashline serve` understand. */
export function completionBody(
  model: string,
  prompt: RemotePrompt,
  { maxTokens, stopStrings = [], stopTokenIds = [], sampling = {} }: DecodeRequest,
  extension: 'llama' | 'other' | undefined,
): object {
  const { temperature = 0, topP = 1, seed, presencePenalty = 0, frequencyPenalty = 0 } = sampling;
  const { topK = 0, minP = 0, repetitionPenalty = 1 } = sampling;
  const sendsIds = typeof prompt.prompt !== 'string';
  return {
    ...(model !== '' && { model }),
    ...prompt,
    max_tokens: maxTokens,
    stream: true,
    // With the second field the count is known of outputs that are not read to their end, as most are.
    stream_options: { include_usage: true, ...(extension && { continuous_usage_stats: true }) },
    temperature,
    ...(topP !== 1 && { top_p: topP }),
    ...(seed !== undefined && temperature > 0 && { seed }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(stopStrings.length > 0 && { stop: stopStrings.slice(0, MOST_STOPS) }),
    ...(extension === 'llama' && { timings_per_token: true }),
    ...(extension && {
      ...(sendsIds && stopTokenIds.length > 0 && { stop_token_ids: stopTokenIds }),
      ...(topK !== 0 && { top_k: topK }),
      ...(minP !== 0 && { min_p: minP }),
      ...(repetitionPenalty !== 1 && { repetition_penalty: repetitionPenalty }),
    }),
  };
}
