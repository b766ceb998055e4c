// Checks the fields of a conversation in OpenAI's API, and converts its messages to those of `protocol/conversation`.
import * as z from 'zod/mini';
import { yieldTurn } from '../machine/turns';
import { parsePythonNumbers } from '../rules/pythonNumbers';
import {
  FUNCTION_TYPE,
  ROLES,
  TOOL,
  type ChatMessage,
  type Conversation,
  type Tool,
  type ToolCall,
} from '../protocol/conversation';
import { MAX_TOOLS } from '../protocol/messages';
import { isRecord } from '../rules/json';
import { wrongField } from './httpError';
import { asGiven, FLAG, listOf, longListOf, objectOf, TEXT, UNSUPPORTED, withoutNulls } from './fieldSchemas';

const PART = z.object({
  type: z.literal('text', { error: '"text", the only supported type' }),
  text: TEXT,
});
const EXPECTED_CONTENT = 'a string or a list of parts of the type "text"';
const CALL = objectOf(
  {
    id: z.optional(TEXT),
    type: z._default(FUNCTION_TYPE, 'function'),
    function: objectOf(
      { name: TEXT, arguments: z._default(TEXT, '') },
      'an object with a name and arguments',
    ),
  },
  'an object with an id and a function',
);
const MESSAGE = objectOf(
  {
    role: z.enum([...ROLES, 'developer'], {
      error: '"system", "developer", "user", "assistant" or "tool"',
    }),
    content: z.optional(z.union([TEXT, listOf(PART, EXPECTED_CONTENT)], { error: EXPECTED_CONTENT })),
    tool_call_id: z.optional(TEXT),
    name: z.optional(TEXT),
    reasoning_content: z.optional(TEXT),
    // The name of `reasoning_content` in newer versions of vLLM. Other servers send objects in it, which are ignored.
    reasoning: z.optional(z.unknown()),
    tool_calls: z.optional(listOf(CALL, 'a list of calls')),
    // In the APIs of Mistral and DeepSeek, the answer continues this message.
    prefix: UNSUPPORTED,
  },
  'an object with a role and a content',
).check(
  // An assistant's turn can be empty: clients keep the turn of an answer that was interrupted.
  z.refine(({ role, content }) => role === 'assistant' || content !== undefined, {
    path: ['content'],
    error: EXPECTED_CONTENT,
  }),
);

const MESSAGES = longListOf(MESSAGE, 'a list of messages').check(
  z.minLength(1, { error: 'a list of at least one message' }),
);

const NAMED_TOOL = TOOL.check(
  z.refine((tool) => /^[\w.-]{1,64}$/.test(tool.function.name), {
    path: ['function', 'name'],
    error: 'a name of up to 64 letters, digits, _, - and .',
  }),
);
const TOOLS = z
  .array(NAMED_TOOL, { error: 'a list' })
  .check(z.maxLength(MAX_TOOLS, { error: `at most ${String(MAX_TOOLS)} tools` }));

function withoutNullFields(tools: Tool[]): Tool[] {
  return tools.map((tool) => withoutNulls({ ...tool, function: withoutNulls(tool.function) }) as Tool);
}

/** Fields that determine the prompt of a chat. */
export const CONVERSATION_FIELDS = {
  messages: MESSAGES,
  // Kept unchanged except for null fields, as a template writes them as they were sent.
  tools: z._default(z.pipe(asGiven(TOOLS), z.transform(withoutNullFields)), []),
  // A model cannot be forced to call a function, so only these two choices are supported.
  tool_choice: z.optional(
    z.enum(['auto', 'none'], { error: '"auto" or "none", as this server cannot enforce a call' }),
  ),
  chat_template_kwargs: z.optional(z.record(z.string(), z.unknown(), { error: 'an object' })),
  reasoning_effort: z.optional(TEXT),
  add_generation_prompt: z._default(FLAG, true),
  // vLLM's field: the answer continues the last message.
  continue_final_message: UNSUPPORTED,
} as const;

/** A conversation, and which of its variables the client set in `chat_template_kwargs`. */
export interface WireConversation extends Conversation {
  readonly kwargNames: readonly string[];
}

/** Converts checked fields to a conversation. Throws HttpError for a call whose arguments are not a JSON object. */
export async function conversationOf(
  fields: z.infer<z.ZodMiniObject<typeof CONVERSATION_FIELDS>>,
): Promise<WireConversation> {
  const { tools, tool_choice, reasoning_effort, add_generation_prompt, chat_template_kwargs } = fields;
  const messages: ChatMessage[] = [];
  for (const [i, message] of fields.messages.entries()) {
    await yieldTurn();
    messages.push(chatMessage(message, i));
  }
  return {
    messages,
    tools: tool_choice === 'none' ? [] : tools,
    variables: {
      ...(reasoning_effort !== undefined && { reasoning_effort }),
      ...(!add_generation_prompt && { add_generation_prompt }),
      ...chat_template_kwargs,
    },
    kwargNames: Object.keys(chat_template_kwargs ?? {}),
  };
}

function chatMessage(message: z.infer<typeof MESSAGE>, i: number): ChatMessage {
  const { role, content, name, tool_call_id: toolCallId, tool_calls: calls } = message;
  const reasoning = message.reasoning_content ?? message.reasoning;
  return {
    name,
    toolCallId,
    role: role === 'developer' ? 'system' : role,
    content: typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(''),
    ...(role === 'assistant' && typeof reasoning === 'string' && { reasoning }),
    ...(calls && calls.length > 0 && { toolCalls: calls.map((call, j) => toolCall(call, i, j)) }),
  };
}

function toolCall(
  { id, function: { name, arguments: text } }: z.infer<typeof CALL>,
  i: number,
  j: number,
): ToolCall {
  try {
    const value = parsePythonNumbers(text === '' ? '{}' : text);
    if (isRecord(value)) return { id, name, arguments: value };
  } catch {
    // Reported below, like JSON that is not an object.
  }
  const field = `messages[${String(i)}].tool_calls[${String(j)}].function.arguments`;
  throw wrongField(field, 'a JSON object as text', text);
}
