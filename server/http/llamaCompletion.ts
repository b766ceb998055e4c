// POST /completion: continues a prompt. Its fields and answers are those of llama.cpp's server; /infill shares both.
import * as z from 'zod/mini';
import { withLf } from '../completion/prompt/lineEnds';
import type { DecodeResult } from '../engine/decode/decode';
import { MAX_TOKENS } from '../engine/request/requestOptions';
import { samplingOf } from '../engine/request/sampling';
import type { LocalModel } from '../hosting/model';
import type { SentLogprobs } from './alignedLogprobs';
import { choices, MAX_TEXTS, type Generation, type Outcome } from './generation';
import type { Endpoint } from './generationRequest';
import { namedLogprobs } from './logprobFields';
import { emittedTokens, ownStats, usage } from './openAiAnswers';
import { encodeFitting, tokenizerOf } from './promptEncoding';
import { COUNT, FLAG, listOf, TEXT } from './fieldSchemas';
import { OPTION_FIELDS, wireRequest } from './wireRequest';

/** Fields that /completion and /infill have in common. */
export const LLAMA_FIELDS = {
  ...OPTION_FIELDS,
  n_cmpl: z.optional(COUNT(1, MAX_TEXTS)),
  n: z.optional(COUNT(1, MAX_TEXTS)),
  return_tokens: z._default(FLAG, false),
  response_fields: z.optional(listOf(TEXT, 'a list of names of fields')),
} as const;

const LLAMA_BODY = z.object({
  ...LLAMA_FIELDS,
  prompt: z.custom<string | readonly (string | number)[]>(isPrompt, {
    error: 'a string, or a list of strings and token ids that make up one prompt',
  }),
});

type LlamaBody = z.infer<typeof LLAMA_BODY>;

async function llamaCompletion(body: LlamaBody, model: LocalModel): Promise<Generation> {
  const { promptOnly, request: plain } = wireRequest(body, model);
  const promptIds = await promptOf(body.prompt, model);
  // Without a limit, a repeating output would fill the context.
  const request = plain.maxTokens === MAX_TOKENS.max ? { ...plain, repetitionGuard: true } : plain;
  return {
    choices: choices([{ promptIds, promptOnly }], body.n_cmpl ?? body.n ?? 1, request),
    ...llamaAnswers(body, model, false),
  };
}

function isPrompt(value: unknown): boolean {
  const isPart = (part: unknown): boolean => typeof part === 'string' || Number.isSafeInteger(part);
  return typeof value === 'string' || (Array.isArray(value) && value.every(isPart));
}

/** Encodes the parts of a prompt. Only the first gets the tokens that begin a text; all can spell special tokens. */
async function promptOf(
  prompt: z.infer<typeof LLAMA_BODY>['prompt'],
  model: LocalModel,
): Promise<readonly number[]> {
  const ids: (number | readonly number[])[] = [];
  for (const part of typeof prompt === 'string' ? [prompt] : prompt) {
    if (typeof part === 'number') ids.push(part);
    else if (ids.length === 0) ids.push(await encodeFitting({ method: 'encodePrompt', input: part }, model));
    else {
      const input = [{ text: part, from: 'template' }] as const;
      ids.push(await encodeFitting({ method: 'encodeParts', input }, model));
    }
  }
  return ids.flat();
}

/** Returns the form of llama.cpp's answers. `isCut` is whether some of the text did not fit into the prompt. */
export function llamaAnswers(
  body: z.infer<z.ZodMiniObject<typeof LLAMA_FIELDS>>,
  model: LocalModel,
  isCut: boolean,
): Omit<Generation, 'choices'> {
  const stops = [body.stop ?? []].flat();
  const tokenizer = tokenizerOf(model);
  const context = model.engine.config.maxPositionEmbeddings;
  const probabilities = (sent: readonly SentLogprobs[] | undefined) =>
    sent && { completion_probabilities: namedLogprobs(sent, tokenizer, true) };
  const answerOf = (outcome: Outcome, content: string): object => {
    const { choice, skipped, result, logprobs } = outcome;
    const { stats, tokenIds } = result;
    const predicted = emittedTokens(outcome);
    const answer = {
      index: choice.index,
      content,
      tokens: body.return_tokens && !body.stream && !choice.promptOnly ? tokenIds.slice(skipped) : [],
      id_slot: 0,
      stop: true,
      model: model.info.target,
      tokens_predicted: predicted,
      tokens_evaluated: stats.promptTokens,
      generation_settings: {
        ...settingsOf(outcome, context),
        stop: stops,
        stream: body.stream,
        model: model.info.target,
      },
      prompt: tokenizer.spell(choice.promptIds),
      has_new_line: outcome.text.includes('\n'),
      truncated: isCut || stats.promptTokens + predicted >= context,
      ...ending(outcome, stops, tokenizer.decode(tokenIds.slice(skipped))),
      // The last token is not in the cache.
      tokens_cached: stats.promptTokens + Math.max(0, stats.emittedTokens - 1),
      timings: timings(result, predicted),
      usage: usage([outcome]),
      ...(!body.stream && probabilities(logprobs)),
      ...ownStats([outcome]),
    };
    return body.response_fields ? picked(answer, body.response_fields) : answer;
  };
  return {
    stream: body.stream,
    endsWithDone: false,
    allTokens: true,
    piece: ({ choice: { index } }, { text, tokens, logprobs }) => ({
      index,
      content: text,
      tokens,
      stop: false,
      ...probabilities(logprobs),
    }),
    closing: (outcome) => answerOf(outcome, ''),
    complete: (outcomes) => {
      const [first, ...rest] = outcomes.map((outcome) => answerOf(outcome, outcome.text));
      return rest.length > 0 ? [first, ...rest] : (first ?? {});
    },
  };
}

/** llama.cpp's value for a request without a seed. */
const NO_SEED = 4_294_967_295;
/** llama.cpp's value for no limit but the context. */
const WHOLE_CONTEXT = -1;

/** Returns the settings of a request under llama.cpp's names. */
function settingsOf({ choice, result }: Outcome, context: number): object {
  const { sampling: given = {}, maxTokens } = choice.request;
  const sampling = samplingOf(given);
  const tokenLimit = maxTokens >= context ? WHOLE_CONTEXT : maxTokens;
  return {
    seed: result.stats.seed ?? given.seed ?? NO_SEED,
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    repeat_last_n: sampling.penaltyWindow,
    repeat_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    max_tokens: tokenLimit,
    n_predict: tokenLimit,
    n_keep: 0,
    ignore_eos: false,
    n_probs: sampling.logprobs ?? 0,
    logit_bias: sampling.logitBias.map(([token, bias]) => ({ token, bias })),
    n_ctx: context,
  };
}

/** Returns llama.cpp's stop reason. `decoded` is the text of all tokens, including a stop string. */
function ending({ text, finish }: Outcome, stops: readonly string[], decoded: string) {
  if (finish === 'length') return { stop_type: 'limit', stopping_word: '' };
  const word = stops.find((stop) => decoded.includes(withLf(text + stop)));
  return { stop_type: word === undefined ? 'eos' : 'word', stopping_word: word ?? '' };
}

/** Returns the requested fields of an answer. A path such as "timings/prompt_n" is kept as the name of its field. */
function picked(answer: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  const step = (inner: unknown, key: string): unknown =>
    typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? (inner as Record<string, unknown>)[key]
      : undefined;
  return Object.fromEntries(fields.map((field) => [field, field.split('/').reduce(step, answer)]));
}

/**
 * Returns llama.cpp's timings. `prompt_n` counts tokens read in prefill or the first round, not those from the cache.
 */
function timings({ stats, prefillInRoundMs = 0 }: DecodeResult, predicted: number) {
  const { promptTokens, reusedTokens, draftedTokens, acceptedTokens } = stats;
  const prefillMs = stats.prefillMs + prefillInRoundMs;
  const decodeMs = stats.decodeMs - prefillInRoundMs;
  const read = promptTokens - reusedTokens;
  return {
    cache_n: reusedTokens,
    prompt_n: read,
    prompt_ms: prefillMs,
    prompt_per_token_ms: ratio(prefillMs, read),
    prompt_per_second: ratio(1000 * read, prefillMs),
    predicted_n: predicted,
    predicted_ms: decodeMs,
    predicted_per_token_ms: ratio(decodeMs, predicted),
    predicted_per_second: ratio(1000 * predicted, decodeMs),
    draft_n: draftedTokens,
    draft_n_accepted: acceptedTokens,
  };
}

function ratio(part: number, total: number): number {
  return total > 0 ? part / total : 0;
}

export const LLAMA_COMPLETION: Endpoint<LlamaBody> = { schema: LLAMA_BODY, generation: llamaCompletion };
