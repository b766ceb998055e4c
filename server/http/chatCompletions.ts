// POST /v1/chat/completions: answers a conversation, in the form that the model's chat template gives it. OpenAI's
// fields, with some of vLLM's.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { turnEndTokenIds } from '../completion/prompt';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LoadedModel } from '../lsp/loadedModel';
import { chatPrompt } from './chatPrompt';
import { choices } from './choices';
import type { Generation, Outcome } from './generation';
import { chatLogprobs } from './logprobFields';
import { requireModel, tokenizerOf } from './modelFields';
import { COUNT, FLAG, parsed, TEXT, type Fields } from './requestBody';
import { ownStats, usage } from './usage';
import { notSupported, wireOptions } from './wireOptions';

/** Without a limit of its own, an answer may be as long as the context allows. */
const NO_LIMIT = 100_000;

const PART = z.object({
  type: z.literal('text', { error: '"text", as there is no other kind here' }),
  text: TEXT,
});
const MESSAGE = z.object(
  {
    role: z.enum(['system', 'developer', 'user', 'assistant'], {
      error: '"system", "developer", "user" or "assistant"',
    }),
    content: z.union([TEXT, z.array(PART)], { error: 'a string or a list of parts of the type "text"' }),
  },
  { error: 'an object with a role and a content' },
);
const BODY = z.object({
  model: z.optional(TEXT),
  messages: z
    .array(MESSAGE, { error: 'a list of messages' })
    .check(z.minLength(1, { error: 'a list of at least one message' })),
  n: z.optional(COUNT(1, 128)),
  stream: z.optional(FLAG),
  stream_options: z.optional(z.object({ include_usage: z.optional(FLAG) }, { error: 'an object' })),
  logprobs: z.optional(FLAG),
  top_logprobs: z.optional(COUNT(0, 20)),
  response_format: z.optional(
    z.object(
      { type: z.literal('text', { error: '"text", as there is no other format here' }) },
      { error: 'an object' },
    ),
  ),
  tools: z.optional(z.array(z.unknown(), { error: 'a list' })),
  cache_prompt: z.optional(FLAG),
});

export function chatCompletions(body: Fields, model: LoadedModel, wantsStats: boolean): Generation {
  const asked = parsed(BODY, body);
  const { messages, n = 1, stream = false, logprobs = false, top_logprobs: top = 0 } = asked;
  requireModel(asked.model, model);
  if (asked.tools !== undefined && asked.tools.length > 0 && body['tool_choice'] !== 'none')
    throw notSupported('tools', 'describe in a message what may be done');
  const {
    promptOnly,
    maxTokens = NO_LIMIT,
    ...options
  } = wireOptions({
    ...body,
    logprobs: logprobs ? top : null,
    top_logprobs: null,
  });
  const tokenizer = tokenizerOf(model);
  const promptIds = chatPrompt(
    messages.map(({ role, content }) => ({
      role: role === 'developer' ? 'system' : role,
      content: typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
    })),
    model,
  );
  const request = {
    ...options,
    maxTokens,
    stopTokenIds: [...turnEndTokenIds(tokenizer), ...(options.stopTokenIds ?? [])],
    fresh: asked.cache_prompt === false,
  };
  const includesUsage = asked.stream_options?.include_usage === true;
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: model.info.target,
  };
  const logprobsOf = (each: readonly TokenLogprobs[] | undefined) =>
    each ? chatLogprobs(each, tokenizer) : null;
  const chunk = (index: number, delta: object, logprobs: unknown, finish: Outcome['finish'] | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs, finish_reason: finish }],
    ...(includesUsage && { usage: null }),
  });
  return {
    promptField: 'messages',
    choices: choices([promptIds], n, options.sampling).map(({ sampling, ...choice }) => ({
      ...choice,
      promptOnly,
      request: { ...request, sampling },
    })),
    stream,
    done: true,
    opening: ({ index }) => chunk(index, { role: 'assistant', content: '' }, null, null),
    piece: ({ index }, piece) => chunk(index, { content: piece.text }, logprobsOf(piece.logprobs), null),
    closing: (outcome) => ({
      ...chunk(outcome.choice.index, {}, null, outcome.finish),
      ...ownStats([outcome], wantsStats),
    }),
    trailer: includesUsage
      ? (outcomes) => ({ ...head, object: 'chat.completion.chunk', choices: [], usage: usage(outcomes) })
      : undefined,
    whole: (outcomes) => ({
      ...head,
      object: 'chat.completion',
      choices: outcomes.map(({ choice: { index }, text, finish, result }) => ({
        index,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: logprobsOf(result.logprobs),
        finish_reason: finish,
      })),
      usage: usage(outcomes),
      ...ownStats(outcomes, wantsStats),
    }),
  };
}
