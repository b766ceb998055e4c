// The prompt of a conversation: by the model's chat template, or in ChatML for a model without one that has its tokens,
// as llama.cpp does.
import type { LoadedModel } from '../hosting/loadedModel';
import type { ChatMessage, Tool } from '../models/text/chatTemplate';
import { encodeApart } from '../models/text/encodeApart';
import { UnusedVariable, usedVariables, type TemplateVariables } from '../models/text/templateVariables';
import type { PromptPart } from '../models/text/tokenizer';
import { HttpError } from './httpError';
import { tokenizerOf } from './modelFields';
import { requireFewer, requireRoom } from './promptCheck';

/** Throws HttpError for a model that has neither, for tools or variables that its template does not know, and for too much text. */
export async function chatPrompt(
  messages: readonly ChatMessage[],
  tools: readonly Tool[],
  variables: TemplateVariables,
  model: LoadedModel,
): Promise<readonly number[]> {
  const tokenizer = tokenizerOf(model);
  const said = [...messages.map(({ content }) => content), ...tools.map((tool) => JSON.stringify(tool))];
  // No template writes a message in fewer tokens.
  requireFewer(2 * messages.length, model, 'messages');
  await requireRoom(said.join('\n'), model, 'messages');
  const parts = withKnown(() => model.engine.chatParts?.(messages, tools, variables));
  return await encodeApart(tokenizer, {
    how: 'encodeParts',
    input: parts ?? withoutTemplate(messages, tools, variables, model),
  });
}

/** In ChatML. */
function withoutTemplate(
  messages: readonly ChatMessage[],
  tools: readonly Tool[],
  variables: TemplateVariables,
  model: LoadedModel,
): readonly PromptPart[] {
  const { chatProblem } = model.engine;
  if (chatProblem)
    throw new HttpError(501, {
      message: chatProblem.message,
      type: 'not_supported_error',
      code: 'not_supported',
    });
  if (tools.length > 0) throw withoutTools('tools');
  if (messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls)) throw withoutTools('messages');
  if (
    ['<|im_start|>', '<|im_end|>'].some((token) => tokenizerOf(model).specialTokenId(token) === undefined)
  ) {
    const message = `Expected a model with a chat template, got ${model.info.target}, which has none; use /v1/completions`;
    throw new HttpError(501, { message, type: 'not_supported_error', code: 'not_supported' });
  }
  withKnown(() => usedVariables(variables, new Set()));
  const parts = messages.flatMap(({ role, content }): PromptPart[] => [
    { text: `<|im_start|>${role}\n`, from: 'template' },
    { text: content, from: 'message' },
    { text: '<|im_end|>\n', from: 'template' },
  ]);
  return [...parts, { text: '<|im_start|>assistant\n', from: 'template' }];
}

function withKnown<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnusedVariable)) throw error;
    const { message, variable } = error;
    const param = variable === 'reasoning_effort' ? variable : `chat_template_kwargs.${variable}`;
    throw new HttpError(400, { message, param, code: 'unsupported_parameter' });
  }
}

function withoutTools(param: string): HttpError {
  return new HttpError(400, {
    message: `Expected no tools, got some, of which this model's chat template knows nothing; describe in a message what may be done`,
    param,
    code: 'unsupported_parameter',
  });
}
