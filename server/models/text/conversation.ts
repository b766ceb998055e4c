// A conversation as chat templates take it: messages, functions that the model can call, and other variables.

/** A call of a function, made by the model. */
export interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  /** Author of the message; "tool" for the result of a called function. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Thinking before an assistant's content. */
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** Id of the call that a "tool" message answers. */
  readonly toolCallId?: string | undefined;
  /** Name of the function that a "tool" message comes from. */
  readonly name?: string | undefined;
}

/** A function that the model can call, as in OpenAI's API: `{ type: 'function', function: { name, ... } }`. */
export type Tool = Readonly<Record<string, unknown>>;

/** Other variables of a template, such as `enable_thinking`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly variables: TemplateVariables;
}
