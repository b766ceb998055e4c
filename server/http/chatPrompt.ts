// The prompt of a conversation: by the model's chat template, or in ChatML for a model without one that has its tokens,
// as llama.cpp does.
import type { LoadedModel } from '../lsp/loadedModel';
import type { ChatMessage } from '../models/chatTemplate';
import type { PromptPart } from '../models/tokenizer';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';
import { requireRoom } from './promptCheck';

/** Throws HttpError for a model that has neither, and for messages that are too long for it. */
export function chatPrompt(messages: readonly ChatMessage[], model: LoadedModel): readonly number[] {
  const tokenizer = tokenizerOf(model);
  const said = messages.map(({ content }) => content).join('\n');
  requireRoom(said, (text) => tokenizer.encodeText(text), model, 'messages');
  const ids = model.engine.encodeChat(messages);
  if (ids !== undefined) return ids;
  if (['<|im_start|>', '<|im_end|>'].some((token) => tokenizer.specialTokenId(token) === undefined)) {
    const message = `Expected a model with a chat template, got ${model.info.target}, which has none; use /v1/completions`;
    throw new HttpError(501, { message, type: 'not_supported_error', code: 'not_supported' });
  }
  const parts = messages.flatMap(({ role, content }): PromptPart[] => [
    { text: `<|im_start|>${role}\n`, from: 'template' },
    { text: content, from: 'message' },
    { text: '<|im_end|>\n', from: 'template' },
  ]);
  return tokenizer.encodeParts([...parts, { text: '<|im_start|>assistant\n', from: 'template' }]);
}
