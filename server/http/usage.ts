// What requests cost, in the fields that clients read: OpenAI's usage, our own statistics and llama.cpp's timings.
import * as z from 'zod/mini';
import type { DecodeResult } from '../engine/decode/decode';
import { statsObject } from '../engine/request/stats';
import type { Outcome } from './generation';
import { FLAG } from './requestBody';

/** An output, also one that goes on. */
type Cost = Pick<Outcome, 'choice' | 'result' | 'skipped'>;

/** The second field is vLLM's: usage comes with each event, so that it is known of a stream that nobody reads on. */
export const STREAM_OPTIONS = z.object(
  { include_usage: z.optional(FLAG), continuous_usage_stats: z.optional(FLAG) },
  { error: 'an object' },
);
type StreamOptions = z.infer<typeof STREAM_OPTIONS>;

/** What an event of a stream says of the usage that was asked for; before the prompt is read, there is no cost. */
export function usageSoFar(options: StreamOptions | undefined, wantsStats: boolean, cost?: Cost) {
  if (options?.include_usage !== true) return {};
  if (options.continuous_usage_stats !== true || cost === undefined) return { usage: null };
  return { usage: usage([cost]), ...ownStats([cost], wantsStats) };
}

/** OpenAI's usage. Choices of one prompt read it once, so it counts once. */
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
export function ownStats(outcomes: readonly Cost[], wanted: boolean): { flashline?: object } {
  if (!wanted) return {};
  const [first, ...others] = outcomes.map(({ result }) => statsObject(result.stats));
  if (first === undefined) return {};
  return { flashline: others.length > 0 ? { choices: [first, ...others] } : first };
}

export function emittedTokens({ choice, result, skipped }: Cost): number {
  return choice.promptOnly ? 0 : Math.max(0, result.stats.emittedTokens - skipped);
}

/**
 * llama.cpp's. Prompt tokens that were known cost nothing and do not count; what was read together with the first drafts
 * does.
 */
export function timings({ stats, prefillInRoundMs = 0 }: DecodeResult, predicted: number) {
  const { promptTokens, reusedTokens, draftedTokens, acceptedTokens } = stats;
  const [prefillMs, decodeMs] = [stats.prefillMs + prefillInRoundMs, stats.decodeMs - prefillInRoundMs];
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

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
