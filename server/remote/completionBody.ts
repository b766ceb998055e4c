// A request as a body of /v1/completions.
import type { DecodeRequest } from '../engine/decode';
import type { PromptText } from './textTokenizer';

export type RemotePrompt = PromptText | { readonly prompt: readonly number[] };

/** `extended` adds fields beyond OpenAI's, which vLLM, SGLang and `flashline serve` understand. */
export function completionBody(
  model: string,
  prompt: RemotePrompt,
  { maxTokens, stopStrings = [], stopTokenIds = [], sampling = {} }: DecodeRequest,
  extended: boolean,
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
    stream_options: { include_usage: true, ...(extended && { continuous_usage_stats: true }) },
    temperature,
    ...(topP !== 1 && { top_p: topP }),
    ...(seed !== undefined && temperature > 0 && { seed }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(stopStrings.length > 0 && { stop: stopStrings }),
    ...(extended && {
      ...(sendsIds && stopTokenIds.length > 0 && { stop_token_ids: stopTokenIds }),
      ...(topK !== 0 && { top_k: topK }),
      ...(minP !== 0 && { min_p: minP }),
      ...(repetitionPenalty !== 1 && { repetition_penalty: repetitionPenalty }),
    }),
  };
}
