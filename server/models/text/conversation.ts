// A conversation as chat templates take it: its messages, the functions that the model can call, and further variables.

/** A function that the model asked to be called. */
export interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  /** "tool": the result of a called function. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The thinking before an assistant's content. */
  readonly reasoning?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** The id of the call that a "tool" answers, and the function's name. */
  readonly toolCallId?: string | undefined;
  readonly name?: string | undefined;
}

/** A function that the model can call, as in OpenAI's API: `{ type: 'function', function: { name, ... } }`. */
export type Tool = Readonly<Record<string, unknown>>;

/** Further variables of a template, such as `enable_thinking`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly variables: TemplateVariables;
}
