// The answers of /infill and /completion, with the fields of llama.cpp's server.
import * as z from 'zod/mini';
import { withLf } from '../completion/text/lineEnds';
import type { RequestOptions } from '../engine/request/requestOptions';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Generation, Outcome, Piece } from './generation';
import { infillProbabilities } from './logprobFields';
import { tokenizerOf } from './modelFields';
import { COUNT, FLAG, TEXT } from './requestBody';
import { OPTION_FIELDS } from './wireOptions';
import { emittedTokens, ownStats, timings, usage } from './usage';

/** What both take beside their texts. */
export const LLAMA_FIELDS = {
  ...OPTION_FIELDS,
  n_cmpl: z.optional(COUNT(1, 128)),
  n: z.optional(COUNT(1, 128)),
  stream: z._default(FLAG, false),
  cache_prompt: z._default(FLAG, true),
  return_tokens: z._default(FLAG, false),
  response_fields: z.optional(z.array(TEXT, { error: 'a list of names of fields' })),
} as const;

interface Asked {
  readonly asked: z.infer<z.ZodMiniObject<typeof LLAMA_FIELDS>>;
  readonly options: RequestOptions;
  readonly maxTokens: number;
  /** Whether not all of the texts are in the prompt. */
  readonly isCut: boolean;
  readonly model: LoadedModel;
  readonly wantsStats: boolean;
}

export function llamaAnswers(given: Asked): Omit<Generation, 'choices'> {
  const { asked, options, isCut, model, wantsStats } = given;
  const tokenizer = tokenizerOf(model);
  const context = model.engine.config.maxPositionEmbeddings;
  const piece = (index: number, { text, tokens, logprobs }: Piece) => ({
    index,
    content: text,
    tokens,
    stop: false,
    ...(logprobs && { completion_probabilities: infillProbabilities(logprobs, tokenizer) }),
  });
  const whole = (outcome: Outcome, content: string): object => {
    const { choice, skipped, result } = outcome;
    const { stats, tokenIds, logprobs } = result;
    const predicted = emittedTokens(outcome);
    const answer = {
      index: choice.index,
      content,
      tokens: asked.return_tokens && !asked.stream && !choice.promptOnly ? tokenIds.slice(skipped) : [],
      id_slot: 0,
      stop: true,
      model: model.info.target,
      tokens_predicted: predicted,
      tokens_evaluated: stats.promptTokens,
      generation_settings: settingsOf(given, outcome),
      prompt: tokenizer.spell(choice.promptIds),
      has_new_line: outcome.text.includes('\n'),
      truncated: isCut || stats.promptTokens + predicted >= context,
      ...ending(outcome, options.stopStrings ?? [], tokenizer.decode(tokenIds.slice(skipped))),
      // The last token is not read any more.
      tokens_cached: stats.promptTokens + Math.max(0, stats.emittedTokens - 1),
      timings: timings(result, predicted),
      usage: usage([outcome]),
      ...(logprobs &&
        !asked.stream && {
          completion_probabilities: infillProbabilities(logprobs.slice(skipped), tokenizer),
        }),
      ...ownStats([outcome], wantsStats),
    };
    return asked.response_fields ? picked(answer, asked.response_fields) : answer;
  };
  return {
    stream: asked.stream,
    done: false,
    allTokens: true,
    piece: ({ index }, each) => piece(index, each),
    closing: (outcome) => whole(outcome, ''),
    whole: (outcomes) => {
      const [first, ...others] = outcomes.map((outcome) => whole(outcome, outcome.text));
      return others.length > 0 ? [first, ...others] : (first ?? {});
    },
  };
}

/** What llama.cpp says where no seed was given. */
const NO_SEED = 4_294_967_295;
const WHOLE_CONTEXT = -1;

/** In llama.cpp's names. */
function settingsOf({ asked, options, maxTokens, model }: Asked, { choice, result }: Outcome): object {
  const sampling = choice.request.sampling ?? {};
  const context = model.engine.config.maxPositionEmbeddings;
  const most = maxTokens >= context ? WHOLE_CONTEXT : maxTokens;
  return {
    seed: result.stats.seed ?? sampling.seed ?? NO_SEED,
    temperature: sampling.temperature ?? 0,
    top_k: sampling.topK ?? 0,
    top_p: sampling.topP ?? 1,
    min_p: sampling.minP ?? 0,
    repeat_last_n: sampling.penaltyWindow ?? 20,
    repeat_penalty: sampling.repetitionPenalty ?? 1,
    presence_penalty: sampling.presencePenalty ?? 0,
    frequency_penalty: sampling.frequencyPenalty ?? 0,
    stop: options.stopStrings ?? [],
    max_tokens: most,
    n_predict: most,
    n_keep: 0,
    ignore_eos: false,
    stream: asked.stream,
    n_probs: sampling.logprobs ?? 0,
    logit_bias: (sampling.logitBias ?? []).map(([token, bias]) => ({ token, bias })),
    n_ctx: context,
    model: model.info.target,
  };
}

/** Why the text ended, in llama.cpp's words. `decoded` is the text of all tokens, a stop string among them. */
function ending({ text, finish }: Outcome, stops: readonly string[], decoded: string) {
  if (finish === 'length') return { stop_type: 'limit', stopping_word: '' };
  const word = stops.find((stop) => decoded.includes(withLf(text + stop)));
  return { stop_type: word === undefined ? 'eos' : 'word', stopping_word: word ?? '' };
}

/** Of an answer only the fields asked for; "timings/prompt_n" is a field of that name. Unknown ones are left out. */
function picked(answer: Readonly<Record<string, unknown>>, fields: readonly string[]): object {
  const found = fields.map((field): [string, unknown] => {
    const value = field
      .split('/')
      .reduce<unknown>(
        (inner, key) =>
          typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
            ? (inner as Record<string, unknown>)[key]
            : undefined,
        answer,
      );
    return [field, value];
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
