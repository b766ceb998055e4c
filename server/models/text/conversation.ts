// A conversation as chat templates take it: messages, functions that the model can call, and other variables.
import type { ChatMessage, Tool } from '../../protocol/conversation';

/** Other variables of a template, such as `enable_thinking`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly variables: TemplateVariables;
}
