// Answers in the form of OpenAI's API, complete or as events, with usage and our own statistics.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { statsObject } from '../engine/request/stats';
import type { LocalModel } from '../hosting/model';
import type { Choice, OutputProgress, Generation, Outcome } from './generation';
import { FLAG, objectOf } from './fieldSchemas';

/**
 * `continuous_usage_stats` is vLLM's and needs `include_usage`: each event has the usage, so it is known even if the
 * client stops reading.
 */
export const STREAM_OPTIONS = objectOf(
  { include_usage: z.optional(FLAG), continuous_usage_stats: z.optional(FLAG) },
  'an object',
);

/**
 * The form of an endpoint's answers: their names, and the fields of a choice besides its index. A `finish_reason` among
 * these replaces that of the output.
 */
export interface AnswerForm {
  /** Prefix of ids. */
  readonly id: string;
  /** Name of the kind of object, in an answer and in an event. */
  readonly object: string;
  readonly eventObject: string;
  readonly opening?: Generation['opening'];
  readonly piece: Generation['piece'];
  readonly closing: Generation['closing'];
  readonly complete: (outcome: Outcome) => object;
}

interface StreamFields {
  readonly stream: boolean;
  readonly stream_options?: z.infer<typeof STREAM_OPTIONS> | undefined;
}

/** Creates a generation's answers from the form of an endpoint, with the fields that all of OpenAI's answers share. */
export function openAiAnswers(
  { stream, stream_options: { include_usage = false, continuous_usage_stats = false } = {} }: StreamFields,
  { opening, ...form }: AnswerForm,
  { info }: LocalModel,
): Omit<Generation, 'choices'> {
  const head = {
    id: `${form.id}-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: info.target,
  };
  /** Creates an event of a choice; `progress` is undefined for the opening one. */
  const event = ({ index }: Choice, fields: object, progress?: OutputProgress) => ({
    ...head,
    object: form.eventObject,
    choices: [{ index, finish_reason: null, ...fields }],
    ...(include_usage && { usage: null }),
    ...(include_usage &&
      continuous_usage_stats &&
      progress && { usage: usage([progress]), ...ownStats([progress]) }),
  });
  return {
    stream,
    endsWithDone: true,
    opening: opening && ((choice, promptLogprobs) => event(choice, opening(choice, promptLogprobs))),
    piece: (progress, piece) => event(progress.choice, form.piece(progress, piece), progress),
    closing: (outcome) => ({
      ...event(outcome.choice, { finish_reason: outcome.finish, ...form.closing(outcome) }, outcome),
      ...ownStats([outcome]),
    }),
    trailer: include_usage
      ? (outcomes) => ({ ...head, object: form.eventObject, choices: [], usage: usage(outcomes) })
      : undefined,
    complete: (outcomes) => ({
      ...head,
      object: form.object,
      choices: outcomes.map((outcome) => ({
        index: outcome.choice.index,
        finish_reason: outcome.finish,
        ...form.complete(outcome),
      })),
      usage: usage(outcomes),
      ...ownStats(outcomes),
    }),
  };
}

/** Returns the usage of an answer. Choices with the same prompt read it once, so it counts once. */
export function usage(outcomes: readonly OutputProgress[]) {
  const first = new Map<readonly number[], OutputProgress>();
  for (const outcome of outcomes)
    if (!first.has(outcome.choice.promptIds)) first.set(outcome.choice.promptIds, outcome);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);
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

/** Returns our statistics of the only choice, or of each, under one extra field. */
export function ownStats(outcomes: readonly OutputProgress[]): { readonly flashline: object | undefined } {
  const choices = outcomes.map(({ result }) => statsObject(result.stats));
  return { flashline: choices.length > 1 ? { choices } : choices[0] };
}

/** Returns the number of tokens of the text that the client gets. */
export function emittedTokens({ choice, result, skipped }: OutputProgress): number {
  return choice.promptOnly ? 0 : Math.max(0, result.stats.emittedTokens - skipped);
}
