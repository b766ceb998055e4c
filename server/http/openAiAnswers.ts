// The answers of OpenAI's API, whole and as events, with its usage and our own statistics.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { statsObject } from '../engine/request/stats';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Choice, Cost, Generation, Outcome } from './generation';
import { FLAG } from './requestBody';
import { Detokenizer } from '../models/text/tokenBytes';
import type { TokenLogprob, TokenLogprobs } from '../engine/sampling/sampler';
import type { Tokenizer } from '../models/text/tokenizer';
import { bytesText } from '../rules/inputError';

/** The second field is vLLM's: usage comes with each event, so that it is known of a stream that nobody reads on. */
export const STREAM_OPTIONS = z.object(
  { include_usage: z.optional(FLAG), continuous_usage_stats: z.optional(FLAG) },
  { error: 'an object' },
);

/** How an endpoint names its answers, and what it says of a text beside its index and why it ended. */
export interface Form extends Pick<Generation, 'opening' | 'piece' | 'closing'> {
  /** What ids begin with. */
  readonly id: string;
  readonly object: string;
  readonly eventObject: string;
  readonly whole: (outcome: Outcome) => object;
}

interface Asked {
  readonly stream: boolean;
  readonly stream_options?: z.infer<typeof STREAM_OPTIONS> | undefined;
}

export function openAiAnswers(
  { stream, stream_options: { include_usage = false, continuous_usage_stats = false } = {} }: Asked,
  { opening, ...form }: Form,
  { info }: LoadedModel,
): Omit<Generation, 'choices'> {
  const head = {
    id: `${form.id}-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: info.target,
  };
  /** Before the prompt is read, there is no cost. */
  const event = ({ index }: Choice, fields: object, cost?: Cost) => ({
    ...head,
    object: form.eventObject,
    choices: [{ index, finish_reason: null, ...fields }],
    ...(include_usage && { usage: null }),
    ...(include_usage && continuous_usage_stats && cost && { usage: usage([cost]), ...ownStats([cost]) }),
  });
  return {
    stream,
    done: true,
    opening: opening && ((choice, given) => event(choice, opening(choice, given))),
    piece: (cost, piece) => event(cost.choice, form.piece(cost, piece), cost),
    closing: (outcome) => ({
      ...event(outcome.choice, { finish_reason: outcome.finish, ...form.closing(outcome) }, outcome),
      ...ownStats([outcome]),
    }),
    trailer: include_usage
      ? (outcomes) => ({ ...head, object: form.eventObject, choices: [], usage: usage(outcomes) })
      : undefined,
    whole: (outcomes) => ({
      ...head,
      object: form.object,
      choices: outcomes.map((outcome) => ({
        index: outcome.choice.index,
        finish_reason: outcome.finish,
        ...form.whole(outcome),
      })),
      usage: usage(outcomes),
      ...ownStats(outcomes),
    }),
  };
}

/** Choices of one prompt read it once, so it counts once. */
export function usage(outcomes: readonly Cost[]) {
  const first = new Map<readonly number[], Cost>();
  for (const outcome of outcomes)
    if (!first.has(outcome.choice.promptIds)) first.set(outcome.choice.promptIds, outcome);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  const prompts = [...first.values()].map(({ result }) => result.stats);
  const promptTokens = sum(prompts.map((stats) => stats.promptTokens));
  const completionTokens = sum(outcomes.map(emittedTokens));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: sum(prompts.map((stats) => stats.reusedTokens)) },
  };
}

/** Under one extra field: the statistics of the only choice, or those of each. Nothing if they were declined. */
export function ownStats(outcomes: readonly Cost[]): { flashline?: object } {
  const wanted = outcomes.filter(({ wantsStats }) => wantsStats);
  const [first, ...others] = wanted.map(({ result }) => statsObject(result.stats));
  if (first === undefined) return {};
  return { flashline: others.length > 0 ? { choices: [first, ...others] } : first };
}

export function emittedTokens({ choice, result, skipped }: Cost): number {
  return choice.promptOnly ? 0 : Math.max(0, result.stats.emittedTokens - skipped);
}

// Logprob fields of answers: the log-probabilities of tokens in the two shapes of OpenAI's API and in llama.cpp's.

type Spelling = Pick<Tokenizer, 'bytes'>;

/** The first token of a prompt: nothing tells how probable it is. */
interface FirstToken {
  readonly token: number;
  readonly logprob: null;
}

/**
 * Of /v1/completions, for a text whose tokens may come in several calls. A character that is spread over tokens counts
 * to the last of them, so that the texts of the tokens make up the text.
 */
export class CompletionLogprobs {
  readonly #texts: Detokenizer;
  /** Code points so far, as in OpenAI's and vLLM's answers. */
  #end = 0;

  constructor(private readonly tokenizer: Spelling) {
    this.#texts = new Detokenizer((token) => tokenizer.bytes(token));
  }

  of(logprobs: readonly (TokenLogprobs | FirstToken)[]) {
    const entries = logprobs.map((each) => {
      const top = each.logprob === null ? null : this.#top(each);
      const text = this.#texts.push(each.token);
      const at = this.#end;
      this.#end += Array.from(text).length;
      return { text, at, top, logprob: each.logprob === null ? null : finite(each.logprob) };
    });
    return {
      tokens: entries.map(({ text }) => text),
      token_logprobs: entries.map(({ logprob }) => logprob),
      top_logprobs: entries.map(({ top }) => top),
      text_offset: entries.map(({ at }) => at),
    };
  }

  /** The most probable tokens and the chosen one, which counts where several have the same text. */
  #top({ top, ...own }: TokenLogprobs) {
    const others = top.filter(({ token }) => token !== own.token);
    return Object.fromEntries([
      ...others.map(({ token, logprob }) => [this.#name(token), finite(logprob)] as const),
      [this.#texts.peek([own.token]), finite(own.logprob)],
    ]);
  }

  /** The text that it would complete; its own if that is none. */
  #name(token: number): string {
    const text = this.#texts.peek([token]);
    if (text !== '' && !text.includes('\uFFFD')) return text;
    return bytesText(this.tokenizer.bytes(token));
  }
}

/** The text of a prompt, as the tokens of its log-probabilities have it. */
export function spelled(ids: readonly number[], tokenizer: Spelling): string {
  const texts = new Detokenizer((token) => tokenizer.bytes(token));
  return ids.map((id) => texts.push(id)).join('');
}

/** Of /v1/chat/completions, and `completion_probabilities` of llama.cpp, which tells the ids too. */
export function namedLogprobs(logprobs: readonly TokenLogprobs[], tokenizer: Spelling, tellsIds: boolean) {
  const entry = ({ token, logprob }: TokenLogprob) => {
    const bytes = tokenizer.bytes(token);
    return {
      ...(tellsIds && { id: token }),
      token: bytesText(bytes),
      bytes: [...bytes],
      logprob: finite(logprob),
    };
  };
  return logprobs.map(({ top, ...own }) => ({ ...entry(own), top_logprobs: top.map(entry) }));
}

/** JSON has no infinities; a forbidden token is as improbable as it gets. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}
