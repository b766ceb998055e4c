// The prompt of a conversation, in the form of the model's own chat template, and lengths in tokens.
import type { Conversation } from '../models/text/chatTemplate';
import { encodeApart } from '../models/text/encodeApart';
import type { UsableModel } from './loadedModel';

/** Its ids, encoded so that nobody else waits. Undefined without a template, or without one that knows tools. */
export async function chatIds(
  conversation: Conversation,
  { engine }: UsableModel,
): Promise<readonly number[] | undefined> {
  // Other servers may leave out the marks of calls, so none are asked for.
  if (engine.remote)
    return conversation.tools.length > 0 ? undefined : engine.encodeChat(conversation.messages);
  const { tokenizer } = engine;
  if (tokenizer === undefined) return undefined;
  const { messages, tools, variables } = conversation;
  const parts = engine.chatParts?.(messages, tools, variables);
  return parts && (await encodeApart(tokenizer, { how: 'encodeParts', input: parts }));
}

export async function tokenCount(text: string, { engine: { tokenizer } }: UsableModel): Promise<number> {
  return tokenizer ? (await encodeApart(tokenizer, { how: 'encodeText', input: text })).length : 0;
}
