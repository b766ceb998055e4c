// Renders conversations to prompts with the model's own chat template, and counts tokens. Long texts are rendered and
// encoded in a worker, so that other requests do not wait.
import { encodeInTurns, renderInTurns } from '../models/text/encodeInTurns';
import type { PromptPart } from '../models/text/tokenizer';
import type { Conversation } from '../protocol/conversation';
import type { Model, ServedEngine } from './model';

/**
 * Renders a conversation; undefined if the model has no chat template, or the template does not support the tools.
 * Throws as `ChatTemplate.render` does.
 */
export async function renderChat(
  conversation: Conversation,
  tokenizer: NonNullable<ServedEngine['tokenizer']>,
  engine: ServedEngine,
): Promise<readonly PromptPart[] | undefined> {
  return await renderInTurns(tokenizer.directory, conversation, ({ messages, tools, variables }) =>
    engine.renderChat(messages, tools, variables),
  );
}

/**
 * Returns the token ids of a conversation; undefined if the model has no tokenizer or chat template, or does not
 * support the tools. Throws as `ChatTemplate.render` does.
 */
export async function encodeChat(
  conversation: Conversation,
  { engine }: Model,
): Promise<readonly number[] | undefined> {
  // Remote servers can omit the marks of tool calls from their output, so tools are not sent to them.
  if (engine.remote)
    return conversation.tools.length > 0 ? undefined : engine.encodeChat(conversation.messages);
  const { tokenizer } = engine;
  if (tokenizer === undefined) return undefined;
  const parts = await renderChat(conversation, tokenizer, engine);
  return parts && (await encodeInTurns(tokenizer, { method: 'encodeParts', input: parts }));
}

/** Counts the tokens of a text; 0 if the model has no tokenizer. */
export async function countTokens(text: string, { engine: { tokenizer } }: Model): Promise<number> {
  return tokenizer ? (await encodeInTurns(tokenizer, { method: 'encodeText', input: text })).length : 0;
}
