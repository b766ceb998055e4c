// Schemas of chat messages and tools, shared by the language server, the HTTP server and chat templates. The `error` of
// a schema is the expected value in words. Clients import only the types, so that they do not bundle zod.
import * as z from 'zod/mini';

/**
 * Returns the schema of a field that can be absent. Clients in languages without undefined, such as Lua and Go, send
 * null instead.
 */
export function optional<T extends z.ZodMiniType>(schema: T) {
  const nullable = z.nullable(schema);
  return z.optional(
    z.pipe(
      nullable,
      z.transform((value: z.output<typeof nullable>) => value ?? undefined),
    ),
  );
}

const TEXT = z.string({ error: 'a string' });

/** Authors of messages; a "tool" message has the result of a called function. */
export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

const TOOL_CALL = z.object({
  /** Absent if the client sends none; calls in an answer always have one. */
  id: optional(TEXT),
  name: TEXT,
  arguments: z.record(z.string(), z.unknown()),
});

export const CHAT_MESSAGE = z.object({
  role: z.enum(ROLES),
  content: TEXT,
  /** Thinking before an assistant's content. */
  reasoning: optional(TEXT),
  /** Calls that an assistant's message asks for. */
  toolCalls: optional(z.readonly(z.array(TOOL_CALL))),
  /** Id of the call that a "tool" message answers. */
  toolCallId: optional(TEXT),
  /** Name of the function whose result a "tool" message has. */
  name: optional(TEXT),
});

export const FUNCTION_TYPE = z.literal('function', { error: '"function", the only supported type' });

/** A function that the model can call, in the form of OpenAI's API. */
export const TOOL = z.object(
  {
    type: FUNCTION_TYPE,
    function: z.object(
      {
        name: TEXT,
        /** Ignored unless it is a string. */
        description: z.catch(z.optional(TEXT), undefined),
        /** JSON schema of the arguments. */
        parameters: optional(z.record(z.string(), z.unknown(), { error: 'a JSON schema' })),
      },
      { error: 'an object with a name' },
    ),
  },
  { error: 'an object with a type and a function' },
);

export type ToolCall = Readonly<z.output<typeof TOOL_CALL>>;
export type ChatMessage = Readonly<z.output<typeof CHAT_MESSAGE>>;
export type Tool = Readonly<z.output<typeof TOOL>>;

/** Variables of a chat template besides messages and tools, such as `enable_thinking`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/** A conversation as chat templates take it: messages, functions that the model can call, and other variables. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly variables: TemplateVariables;
}
