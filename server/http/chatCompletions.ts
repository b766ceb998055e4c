// POST /v1/chat/completions: answers a conversation, in the form that the model's chat template gives it. OpenAI's
// fields, with some of vLLM's.
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { CALL_TOKENS, toolCallReader, type WireToolCall } from '../completion/instruct/toolCallReader';
import { specialTokenIds } from '../completion/prompt/fimForm';
import { turnEndTokenIds } from '../completion/prompt/prompt';
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { LoadedModel } from '../hosting/loadedModel';
import { chatMessages, MESSAGES, TOOL_CHOICE, TOOLS } from './chatMessages';
import { chatPrompt } from './chatPrompt';
import { choices, type Generation, type Outcome } from './generation';
import { chatLogprobs } from './logprobFields';
import { tokenizerOf } from './modelFields';
import { asGiven, COUNT, FLAG, TEXT } from './requestBody';
import { ownStats, STREAM_OPTIONS, usage, usageSoFar } from './usage';
import { OPTION_FIELDS, wireOptions } from './wireOptions';

/** They tell a client what is thought, where they are special tokens. */
const THOUGHT_TOKENS = ['<think>', '</think>', '[THINK]', '[/THINK]', '<|channel>', '<channel|>'];
/** Without a limit of its own, an answer may be as long as the context allows. */
const NO_LIMIT = 100_000;

export const CHAT_BODY = z.object({
  ...OPTION_FIELDS,
  messages: MESSAGES,
  n: z._default(COUNT(1, 128), 1),
  stream: z._default(FLAG, false),
  stream_options: z.optional(STREAM_OPTIONS),
  logprobs: z._default(FLAG, false),
  top_logprobs: z._default(COUNT(0, 20), 0),
  response_format: z.optional(
    z.object(
      { type: z.literal('text', { error: '"text", as there is no other format here' }) },
      { error: 'an object' },
    ),
  ),
  tools: z._default(asGiven(TOOLS), []),
  tool_choice: z.optional(TOOL_CHOICE),
  parallel_tool_calls: z.optional(FLAG),
  chat_template_kwargs: z.optional(z.record(z.string(), z.unknown(), { error: 'an object' })),
  reasoning_effort: z.optional(TEXT),
  cache_prompt: z.optional(FLAG),
});

export async function chatCompletions(
  asked: z.infer<typeof CHAT_BODY>,
  model: LoadedModel,
  wantsStats: boolean,
): Promise<Generation> {
  const { messages, n, stream, stream_options: streamOptions } = asked;
  const tools = asked.tool_choice === 'none' ? [] : asked.tools;
  const logprobs = asked.logprobs ? asked.top_logprobs : undefined;
  const given = wireOptions({ ...asked, logprobs, top_logprobs: undefined });
  const { promptOnly, maxTokens = NO_LIMIT, ...options } = given;
  const tokenizer = tokenizerOf(model);
  const { reasoning_effort, chat_template_kwargs } = asked;
  const variables = { ...(reasoning_effort !== undefined && { reasoning_effort }), ...chat_template_kwargs };
  const promptIds = await chatPrompt({ messages: await chatMessages(messages), tools, variables }, model);
  const spelled = [
    ...(tools.length > 0 ? CALL_TOKENS : []),
    ...(Object.keys(variables).length > 0 ? THOUGHT_TOKENS : []),
  ];
  const request = {
    ...options,
    maxTokens,
    stopTokenIds: [...turnEndTokenIds(tokenizer), ...(options.stopTokenIds ?? [])],
    spelledTokenIds: specialTokenIds(spelled, tokenizer),
    fresh: asked.cache_prompt === false,
  };
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: model.info.target,
  };
  const logprobsOf = (each: readonly TokenLogprobs[] | undefined) =>
    each ? chatLogprobs(each, tokenizer) : null;
  const chunk = (
    index: number,
    delta: object,
    logprobs: unknown,
    finish: Outcome['finish'] | 'tool_calls' | null,
  ) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs, finish_reason: finish }],
  });
  const readers = Array.from({ length: tools.length > 0 ? n : 0 }, () =>
    toolCallReader(tools, tokenizer, asked.parallel_tool_calls),
  );
  const callsOf = (index: number): readonly WireToolCall[] | undefined => {
    const calls = readers[index]?.calls ?? [];
    return calls.length > 0 ? calls : undefined;
  };
  return {
    promptField: 'messages',
    choices: choices([{ promptIds }], n, options.sampling).map(({ sampling, ...choice }) => ({
      ...choice,
      filter: readers[choice.index],
      sharing: '',
      promptOnly,
      request: { ...request, sampling },
    })),
    stream,
    done: true,
    opening: ({ index }) => ({
      ...chunk(index, { role: 'assistant', content: '' }, null, null),
      ...usageSoFar(streamOptions, wantsStats),
    }),
    piece: (choice, { text, logprobs }, cost) => ({
      ...chunk(choice.index, { content: text }, logprobsOf(logprobs), null),
      ...usageSoFar(streamOptions, wantsStats, { choice, ...cost }),
    }),
    closing: (outcome) => {
      const { index } = outcome.choice;
      const calls = callsOf(index)?.map((call, i) => ({ index: i, ...call }));
      return {
        ...chunk(index, { ...(calls && { tool_calls: calls }) }, null, calls ? 'tool_calls' : outcome.finish),
        ...usageSoFar(streamOptions, wantsStats, outcome),
        ...ownStats([outcome], wantsStats),
      };
    },
    trailer: streamOptions?.include_usage
      ? (outcomes) => ({ ...head, object: 'chat.completion.chunk', choices: [], usage: usage(outcomes) })
      : undefined,
    whole: (outcomes) => ({
      ...head,
      object: 'chat.completion',
      choices: outcomes.map(({ choice: { index }, text, finish, result }) => {
        const calls = callsOf(index);
        const content = calls && text === '' ? null : text;
        return {
          index,
          message: { role: 'assistant', content, refusal: null, ...(calls && { tool_calls: calls }) },
          logprobs: logprobsOf(result.logprobs),
          finish_reason: calls ? 'tool_calls' : finish,
        };
      }),
      usage: usage(outcomes),
      ...ownStats(outcomes, wantsStats),
    }),
  };
}
