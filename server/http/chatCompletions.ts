// POST /v1/chat/completions: answers a conversation that the model's chat template turns into a prompt. Has OpenAI's
// fields, and some of vLLM's.
import * as z from 'zod/mini';
import { CALL_TOKENS } from '../completion/instruct/toolCallForms';
import { toolCallReader } from '../completion/instruct/toolCallReader';
import { specialTokenIds, turnEndTokenIds } from '../completion/prompt/specialTokens';
import type { LocalModel } from '../hosting/model';
import { ThinkingReader } from '../completion/instruct/thinkingReader';
import { openedTags, thinkingTags } from '../models/text/thinkingTags';
import type { SentLogprobs } from './alignedLogprobs';
import { ChatOutputFilter } from './chatOutputFilter';
import { CONVERSATION_FIELDS, conversationOf } from './conversation';
import { encodeConversation } from './conversationPrompt';
import { choices, MAX_TEXTS, type Generation } from './generation';
import type { Endpoint } from './generationRequest';
import { namedLogprobs } from './logprobFields';
import { type AnswerForm, openAiAnswers, STREAM_OPTIONS } from './openAiAnswers';
import type { Tokenizer } from '../models/text/tokenizer';
import { tokenizerOf } from './promptEncoding';
import { COUNT, FLAG } from './fieldSchemas';
import { OPTION_FIELDS, wireRequest } from './wireRequest';

/** Special tokens around a model's thinking. The output spells them out, so that the thinking can be split off. */
const THOUGHT_TOKENS = ['<think>', '</think>', '[THINK]', '[/THINK]', '<|channel>', '<channel|>'];

const CHAT_BODY = z.object({
  ...OPTION_FIELDS,
  ...CONVERSATION_FIELDS,
  n: z._default(COUNT(1, MAX_TEXTS), 1),
  stream_options: z.optional(STREAM_OPTIONS),
  logprobs: z._default(FLAG, false),
  top_logprobs: z._default(COUNT(0, 20), 0),
  parallel_tool_calls: z.optional(FLAG),
});

type ChatBody = z.infer<typeof CHAT_BODY>;

async function chatCompletions(body: ChatBody, model: LocalModel): Promise<Generation> {
  const tokenizer = tokenizerOf(model);
  const conversation = await conversationOf(body);
  const { tools, variables } = conversation;
  const { parts, promptIds } = await encodeConversation(conversation, model);
  const tags = thinkingTags(model.engine.chatTemplateText ?? '');
  const opened = openedTags(tags, parts.at(-1)?.text ?? '');
  const spelled = [
    ...(tools.length > 0 ? CALL_TOKENS : []),
    ...(tags.length > 0 || Object.keys(variables).length > 0 ? THOUGHT_TOKENS : []),
    ...tags.flatMap(({ begin, end }) => [begin, end]),
  ];
  const logprobs = body.logprobs ? body.top_logprobs : undefined;
  const { promptOnly, request } = wireRequest({ ...body, logprobs, top_logprobs: undefined }, model, {
    endTokenIds: turnEndTokenIds(tokenizer),
  });
  const callReader = () =>
    tools.length > 0 ? toolCallReader(tools, tokenizer, body.parallel_tool_calls) : undefined;
  const filters = Array.from(
    { length: body.n },
    () => new ChatOutputFilter(new ThinkingReader(tags, opened), callReader()),
  );
  const spelledTokenIds = specialTokenIds(spelled, tokenizer);
  return {
    ...openAiAnswers(body, chatForm(filters, tokenizer), model),
    promptField: 'messages',
    choices: choices([{ promptIds, promptOnly }], body.n, { ...request, spelledTokenIds }).map((choice) => ({
      ...choice,
      filter: filters[choice.index],
    })),
  };
}

/** Returns the form of chat answers. `filters` have the function calls and the thinking of each choice. */
function chatForm(filters: readonly ChatOutputFilter[], tokenizer: Tokenizer): AnswerForm {
  const logprobsOf = (sent: readonly SentLogprobs[] | undefined) =>
    sent ? { content: namedLogprobs(sent, tokenizer, false), refusal: null } : null;
  return {
    id: 'chatcmpl',
    object: 'chat.completion',
    eventObject: 'chat.completion.chunk',
    opening: () => ({ delta: { role: 'assistant', content: '' }, logprobs: null }),
    piece: (_, { text, thinking = '', logprobs }) => ({
      delta: {
        ...(thinking !== '' && { reasoning_content: thinking }),
        ...((text !== '' || thinking === '') && { content: text }),
      },
      logprobs: logprobsOf(logprobs),
    }),
    closing: ({ choice: { index } }) => {
      const calls = filters[index]?.calls ?? [];
      if (calls.length === 0) return { delta: {}, logprobs: null };
      const tool_calls = calls.map((call, i) => ({ index: i, ...call }));
      return { delta: { tool_calls }, logprobs: null, finish_reason: 'tool_calls' };
    },
    complete: ({ choice: { index }, text, logprobs }) => {
      const { calls = [], thinking = '' } = filters[index] ?? {};
      const reasoning = thinking !== '' && { reasoning_content: thinking };
      const message = { role: 'assistant', content: text, ...reasoning, refusal: null };
      const entry = { message, logprobs: logprobsOf(logprobs) };
      if (calls.length === 0) return entry;
      const called = { ...message, content: text === '' ? null : text, tool_calls: calls };
      return { ...entry, message: called, finish_reason: 'tool_calls' };
    },
  };
}

export const CHAT_COMPLETIONS: Endpoint<ChatBody> = { schema: CHAT_BODY, generation: chatCompletions };
