// The prompt of a conversation: by the model's chat template, or in ChatML for a model without one that has its tokens,
// as llama.cpp does.
import { conversationParts } from '../hosting/chatIds';
import type { LoadedModel } from '../hosting/loadedModel';
import type { Conversation } from '../models/text/chatTemplate';
import { encodeApart } from '../models/text/encodeApart';
import { UnusedVariable, usedVariables } from '../models/text/templateVariables';
import type { PromptPart } from '../models/text/tokenizer';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';
import { requireFewer, requireRoom } from './promptCheck';

/** Its ids. Throws HttpError as `chatParts` does, and for too much text. */
export async function chatPrompt(conversation: Conversation, model: LoadedModel): Promise<readonly number[]> {
  const { messages, tools } = conversation;
  const said = [...messages.map(({ content }) => content), ...tools.map((tool) => JSON.stringify(tool))];
  // No template writes a message in fewer tokens.
  requireFewer(2 * messages.length, model, 'messages');
  await requireRoom(said.join('\n'), model, 'messages');
  return await encodeApart(tokenizerOf(model), {
    how: 'encodeParts',
    input: await chatParts(conversation, model),
  });
}

/** Throws HttpError for a model that has neither, and for tools or variables that its template does not know. */
export async function chatParts(
  conversation: Conversation,
  model: LoadedModel,
): Promise<readonly PromptPart[]> {
  try {
    const parts = await conversationParts(conversation, tokenizerOf(model), model.engine);
    return parts ?? withoutTemplate(conversation, model);
  } catch (error) {
    if (!(error instanceof UnusedVariable)) throw error;
    const { message, variable } = error;
    const param = variable === 'reasoning_effort' ? variable : `chat_template_kwargs.${variable}`;
    throw new HttpError(400, message, { param, code: 'unsupported_parameter' });
  }
}

/** In ChatML. */
function withoutTemplate(
  { messages, tools, variables }: Conversation,
  model: LoadedModel,
): readonly PromptPart[] {
  const { chatProblem } = model.engine;
  if (chatProblem) throw new HttpError(501, chatProblem.message, { code: 'not_supported' });
  if (tools.length > 0) throw withoutTools('tools');
  if (messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls)) throw withoutTools('messages');
  if (
    ['<|im_start|>', '<|im_end|>'].some((token) => tokenizerOf(model).specialTokenId(token) === undefined)
  ) {
    const message = `Expected a model with a chat template, got ${model.info.target}, which has none; use /v1/completions`;
    throw new HttpError(501, message, { code: 'not_supported' });
  }
  usedVariables(variables, new Set());
  const parts = messages.flatMap(({ role, content }): PromptPart[] => [
    { text: `<|im_start|>${role}\n`, from: 'template' },
    { text: content, from: 'message' },
    { text: '<|im_end|>\n', from: 'template' },
  ]);
  return [...parts, { text: '<|im_start|>assistant\n', from: 'template' }];
}

function withoutTools(param: string): HttpError {
  const message = `Expected no tools, got some, of which this model's chat template knows nothing; describe in a message what may be done`;
  return new HttpError(400, message, { param, code: 'unsupported_parameter' });
}
