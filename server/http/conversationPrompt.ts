// Builds the prompt of a conversation with the model's chat template. As in llama.cpp, a model without a template gets
// ChatML if it has the tokens of ChatML.
import { renderChat } from '../hosting/chatEncoding';
import type { LocalModel } from '../hosting/model';
import { encodeInTurns } from '../models/text/encodeInTurns';
import { TemplateRefusal } from '../models/text/templateRefusal';
import { UnusedVariable, usedVariables } from '../models/text/templateVariables';
import type { PromptPart } from '../models/text/tokenizer';
import type { Conversation } from '../protocol/conversation';
import { stringifyPythonNumbers } from '../rules/pythonNumbers';
import type { WireConversation } from './conversation';
import { HttpError } from './httpError';
import { requireRoom, tokenizerOf, tooLong } from './promptEncoding';

/**
 * Returns the parts of a prompt and its token ids. Throws HttpError as `renderConversation` and `requireRoom` do;
 * `requirePrompt` finds the other prompts that are too long.
 */
export async function encodeConversation(conversation: WireConversation, model: LocalModel) {
  const { messages, tools } = conversation;
  const texts = [...messages.map(({ content }) => content), ...tools.map(stringifyPythonNumbers)];
  // Every template needs at least two tokens for a message.
  if (2 * messages.length >= model.engine.config.maxPositionEmbeddings)
    throw tooLong(model, 'more', 'messages');
  await requireRoom(texts.join('\n'), model, 'messages');
  const parts = await renderConversation(conversation, model);
  const promptIds = await encodeInTurns(tokenizerOf(model), { method: 'encodeParts', input: parts });
  return { parts, promptIds };
}

/**
 * Returns the parts of a prompt. Throws HttpError for a model with a broken template, or with neither a template nor
 * ChatML, for a conversation that the template refuses, and for tools or variables that it does not support.
 */
export async function renderConversation(
  conversation: WireConversation,
  model: LocalModel,
): Promise<readonly PromptPart[]> {
  try {
    const parts = await renderChat(conversation, tokenizerOf(model), model.engine);
    return parts ?? chatMlParts(conversation, model);
  } catch (error) {
    if (error instanceof TemplateRefusal)
      throw new HttpError(400, error.message, { param: 'messages', code: 'refused_by_template' });
    if (!(error instanceof UnusedVariable)) throw error;
    const { message, variable } = error;
    const isKwarg = conversation.kwargNames.includes(variable);
    const param = isKwarg ? `chat_template_kwargs.${variable}` : variable;
    throw new HttpError(400, message, { param, code: 'unsupported_parameter' });
  }
}

function chatMlParts({ messages, tools, variables }: Conversation, model: LocalModel): readonly PromptPart[] {
  const { chatProblem } = model.engine;
  if (chatProblem) throw new HttpError(501, chatProblem.message, { code: 'not_supported' });
  if (tools.length > 0 || messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls)) {
    const message =
      "This model's chat template does not support tools. Describe the functions in a message instead.";
    const param = tools.length > 0 ? 'tools' : 'messages';
    throw new HttpError(400, message, { param, code: 'unsupported_parameter' });
  }
  const tokenizer = tokenizerOf(model);
  if (['<|im_start|>', '<|im_end|>'].some((token) => tokenizer.specialTokenId(token) === undefined)) {
    const message = `The model ${model.info.target} has no chat template. Use /v1/completions.`;
    throw new HttpError(501, message, { code: 'not_supported' });
  }
  // ChatML has no variables, so this throws for every one that would have an effect.
  usedVariables(variables, new Set());
  const parts = messages.flatMap(({ role, content }): PromptPart[] => [
    { text: `<|im_start|>${role}\n`, from: 'template' },
    { text: content, from: 'message' },
    { text: '<|im_end|>\n', from: 'template' },
  ]);
  return [...parts, { text: '<|im_start|>assistant\n', from: 'template' }];
}
