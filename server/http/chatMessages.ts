// The messages and tools of a conversation as OpenAI's API has them, and what the chat templates make of them.
import * as z from 'zod/mini';
import { othersTurn } from '../machine/othersTurn';
import type { ChatMessage, ToolCall } from '../models/text/chatTemplate';
import { pythonJson } from '../models/text/pythonJson';
import { isRecord } from '../rules/json';
import { wrongField } from './httpError';
import { listOf, TEXT } from './requestBody';

const PART = z.object({
  type: z.literal('text', { error: '"text", as there is no other kind here' }),
  text: TEXT,
});
const CONTENT = 'a string or a list of parts of the type "text"';
const FUNCTION = { error: '"function", as there is no other kind here' };
const CALL = z.object({
  id: z.optional(TEXT),
  type: z._default(z.literal('function', FUNCTION), 'function'),
  function: z.object({ name: TEXT, arguments: TEXT }, { error: 'an object with a name and arguments' }),
});
const MESSAGE = z
  .object(
    {
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool'], {
        error: '"system", "developer", "user", "assistant" or "tool"',
      }),
      content: z.optional(z.nullable(z.union([TEXT, z.array(PART)], { error: CONTENT }))),
      tool_call_id: z.optional(TEXT),
      name: z.optional(TEXT),
      tool_calls: z.optional(z.nullable(z.array(CALL, { error: 'a list of calls' }))),
    },
    { error: 'an object with a role and a content' },
  )
  .check(
    // An assistant's turn may be empty, as clients that were interrupted keep it.
    z.refine(({ role, content }) => role === 'assistant' || typeof (content ?? undefined) !== 'undefined', {
      path: ['content'],
      error: CONTENT,
    }),
  );

/** Far more than any conversation has; a template takes its time for each. */
const MOST_MESSAGES = 10_000;

export const MESSAGES = listOf(
  MESSAGE,
  z
    .array(z.unknown(), { error: 'a list of messages' })
    .check(
      z.minLength(1, { error: 'a list of at least one message' }),
      z.maxLength(MOST_MESSAGES, { error: `a list of at most ${String(MOST_MESSAGES)} messages` }),
    ),
);

const TOOL = z.object(
  {
    type: z.literal('function', FUNCTION),
    function: z.object(
      {
        name: TEXT.check(
          z.regex(/^[\w.-]{1,64}$/, { error: 'a name of up to 64 letters, digits, _, - and .' }),
        ),
        parameters: z.optional(z.record(z.string(), z.unknown(), { error: 'a JSON schema' })),
      },
      { error: 'an object with a name' },
    ),
  },
  { error: 'an object with a type and a function' },
);
export const TOOLS = z
  .array(TOOL, { error: 'a list' })
  .check(z.maxLength(128, { error: 'at most 128 tools' }));
/** Nothing makes a model call a function, or a certain one. */
export const TOOL_CHOICE = z.enum(['auto', 'none'], {
  error: '"auto" or "none", as no other choice can be enforced here',
});

/** Throws HttpError for calls whose arguments are no JSON object. */
export async function chatMessages(messages: z.infer<typeof MESSAGES>): Promise<ChatMessage[]> {
  const all: ChatMessage[] = [];
  for (const [
    i,
    { role, content, name, tool_call_id: toolCallId, tool_calls: calls },
  ] of messages.entries()) {
    await othersTurn();
    all.push({
      ...{ name, toolCallId },
      role: role === 'developer' ? 'system' : role,
      content: typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(''),
      ...(calls && calls.length > 0 && { toolCalls: calls.map((call, j) => toolCall(call, i, j)) }),
    });
  }
  return all;
}

function toolCall(
  { id, function: { name, arguments: text } }: z.infer<typeof CALL>,
  i: number,
  j: number,
): ToolCall {
  try {
    const value = pythonJson(text === '' ? '{}' : text);
    if (isRecord(value)) return { id, name, arguments: value };
  } catch {
    // Said below.
  }
  const field = `messages[${String(i)}].tool_calls[${String(j)}].function.arguments`;
  throw wrongField(field, 'a JSON object as text', text);
}
