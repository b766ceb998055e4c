// The prompt of a conversation, in the form of the model's own chat template, and lengths in tokens.
import type { Conversation } from '../models/text/chatTemplate';
import { encodeApart, renderApart } from '../models/text/encodeApart';
import type { PromptPart } from '../models/text/tokenizer';
import type { ServedEngine, UsableModel } from './loadedModel';

/** What the chat template makes of it; undefined without one, or where it knows no tools. */
export async function conversationParts(
  conversation: Conversation,
  tokenizer: NonNullable<ServedEngine['tokenizer']>,
  engine: Pick<ServedEngine, 'chatParts'>,
): Promise<readonly PromptPart[] | undefined> {
  return await renderApart(tokenizer, conversation, ({ messages, tools, variables }) =>
    engine.chatParts?.(messages, tools, variables),
  );
}

/** Its ids, made so that nobody else waits. Undefined without a template, or without one that knows tools. */
export async function chatIds(
  conversation: Conversation,
  { engine }: UsableModel,
): Promise<readonly number[] | undefined> {
  // Other servers may leave out the marks of calls, so none are asked for.
  if (engine.remote)
    return conversation.tools.length > 0 ? undefined : engine.encodeChat(conversation.messages);
  const { tokenizer } = engine;
  if (tokenizer === undefined) return undefined;
  const parts = await conversationParts(conversation, tokenizer, engine);
  return parts && (await encodeApart(tokenizer, { how: 'encodeParts', input: parts }));
}

export async function tokenCount(text: string, { engine: { tokenizer } }: UsableModel): Promise<number> {
  return tokenizer ? (await encodeApart(tokenizer, { how: 'encodeText', input: text })).length : 0;
}
