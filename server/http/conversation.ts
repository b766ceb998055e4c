// A conversation as OpenAI's API has it, and its prompt: by the model's chat template, or in ChatML for a model without one
// that has its tokens, as llama.cpp does.
import * as z from 'zod/mini';
import { conversationParts } from '../hosting/chatPrompt';
import type { LocalModel } from '../hosting/model';
import { othersTurn } from '../machine/turns';
import { TemplateRefusal } from '../models/text/chatTemplate';
import type { ChatMessage, Conversation, ToolCall } from '../models/text/conversation';
import { encodeInTurns, type Encoding } from '../models/text/encodeInTurns';
import { pythonJson } from '../models/text/jinja/pythonFloats';
import { UnusedVariable, usedVariables } from '../models/text/templateVariables';
import type { PromptPart } from '../models/text/tokenizer';
import { isRecord } from '../rules/json';
import { HttpError, wrongField } from './httpError';
import { asGiven, listOf, TEXT } from './requestBody';
import { FillInPrompt, type FillIn, type Hole } from '../completion/prompt/fillIn';
import { fimEndTokenIds, fimForm } from '../completion/prompt/fimForm';
import { withLf } from '../completion/prompt/lineEnds';
import type { SpecialTokens } from '../completion/prompt/specialTokens';
import type { Choice } from './generation';
import type { WireRequest } from './wireRequest';

const PART = z.object({
  type: z.literal('text', { error: '"text", as there is no other kind here' }),
  text: TEXT,
});
const CONTENT = 'a string or a list of parts of the type "text"';
const FUNCTION = { error: '"function", as there is no other kind here' };
const CALL = z.object({
  id: z.optional(TEXT),
  type: z._default(z.literal('function', FUNCTION), 'function'),
  function: z.object({ name: TEXT, arguments: TEXT }, { error: 'an object with a name and arguments' }),
});
const MESSAGE = z
  .object(
    {
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool'], {
        error: '"system", "developer", "user", "assistant" or "tool"',
      }),
      content: z.optional(z.nullable(z.union([TEXT, z.array(PART)], { error: CONTENT }))),
      tool_call_id: z.optional(TEXT),
      name: z.optional(TEXT),
      reasoning_content: z.optional(z.nullable(TEXT)),
      // The same field in newer versions of vLLM; other servers have objects of that name.
      reasoning: z.optional(z.unknown()),
      tool_calls: z.optional(z.nullable(z.array(CALL, { error: 'a list of calls' }))),
    },
    { error: 'an object with a role and a content' },
  )
  .check(
    // An assistant's turn may be empty, as clients that were interrupted keep it.
    z.refine(({ role, content }) => role === 'assistant' || typeof (content ?? undefined) !== 'undefined', {
      path: ['content'],
      error: CONTENT,
    }),
  );

const MESSAGES = listOf(
  MESSAGE,
  z
    .array(z.unknown(), { error: 'a list of messages' })
    .check(z.minLength(1, { error: 'a list of at least one message' })),
);

const TOOL = z.object(
  {
    type: z.literal('function', FUNCTION),
    function: z.object(
      {
        name: TEXT.check(
          z.regex(/^[\w.-]{1,64}$/, { error: 'a name of up to 64 letters, digits, _, - and .' }),
        ),
        parameters: z.optional(z.record(z.string(), z.unknown(), { error: 'a JSON schema' })),
      },
      { error: 'an object with a name' },
    ),
  },
  { error: 'an object with a type and a function' },
);
/** All that decides the prompt of a chat. */
export const CONVERSATION_FIELDS = {
  messages: MESSAGES,
  // A template writes them as they were sent.
  tools: z._default(
    asGiven(z.array(TOOL, { error: 'a list' }).check(z.maxLength(128, { error: 'at most 128 tools' }))),
    [],
  ),
  // Nothing makes a model call a function, or a certain one.
  tool_choice: z.optional(
    z.enum(['auto', 'none'], { error: '"auto" or "none", as no other choice can be enforced here' }),
  ),
  chat_template_kwargs: z.optional(z.record(z.string(), z.unknown(), { error: 'an object' })),
  reasoning_effort: z.optional(TEXT),
} as const;

/** Throws HttpError for calls whose arguments are no JSON object. */
export async function conversationOf(asked: z.infer<z.ZodMiniObject<typeof CONVERSATION_FIELDS>>) {
  const { tools, tool_choice, reasoning_effort, chat_template_kwargs } = asked;
  const messages: ChatMessage[] = [];
  for (const [i, message] of asked.messages.entries()) {
    await othersTurn();
    messages.push(chatMessage(message, i));
  }
  return {
    messages,
    tools: tool_choice === 'none' ? [] : tools,
    variables: { ...(reasoning_effort !== undefined && { reasoning_effort }), ...chat_template_kwargs },
  };
}

function chatMessage(message: z.infer<typeof MESSAGE>, i: number): ChatMessage {
  const { role, content, name, tool_call_id: toolCallId, tool_calls: calls } = message;
  const reasoning = message.reasoning_content ?? message.reasoning;
  return {
    ...{ name, toolCallId },
    role: role === 'developer' ? 'system' : role,
    content: typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(''),
    ...(role === 'assistant' && typeof reasoning === 'string' && { reasoning }),
    ...(calls && calls.length > 0 && { toolCalls: calls.map((call, j) => toolCall(call, i, j)) }),
  };
}

function toolCall(
  { id, function: { name, arguments: text } }: z.infer<typeof CALL>,
  i: number,
  j: number,
): ToolCall {
  try {
    const value = pythonJson(text === '' ? '{}' : text);
    if (isRecord(value)) return { id, name, arguments: value };
  } catch {
    // Said below.
  }
  const field = `messages[${String(i)}].tool_calls[${String(j)}].function.arguments`;
  throw wrongField(field, 'a JSON object as text', text);
}

/** The parts of a prompt and its token ids. Throws HttpError as `chatParts` does, and for too much text. */
export async function chatPrompt(conversation: Conversation, model: LocalModel) {
  const { messages, tools } = conversation;
  const said = [...messages.map(({ content }) => content), ...tools.map((tool) => JSON.stringify(tool))];
  // No template writes a message in fewer tokens.
  if (2 * messages.length >= model.engine.config.maxPositionEmbeddings)
    throw tooLong(model, 'more', 'messages');
  await requireRoom(said.join('\n'), model, 'messages');
  const parts = await chatParts(conversation, model);
  const promptIds = await encodeInTurns(tokenizerOf(model), { how: 'encodeParts', input: parts });
  return { parts, promptIds };
}

/** Throws HttpError for a model that has neither, and for tools or variables that its template does not know. */
export async function chatParts(
  conversation: Conversation,
  model: LocalModel,
): Promise<readonly PromptPart[]> {
  try {
    const parts = await conversationParts(conversation, tokenizerOf(model), model.engine);
    return parts ?? withoutTemplate(conversation, model);
  } catch (error) {
    if (error instanceof TemplateRefusal)
      throw new HttpError(400, error.message, { param: 'messages', code: 'refused_by_template' });
    if (!(error instanceof UnusedVariable)) throw error;
    const { message, variable } = error;
    const param = variable === 'reasoning_effort' ? variable : `chat_template_kwargs.${variable}`;
    throw new HttpError(400, message, { param, code: 'unsupported_parameter' });
  }
}

/** In ChatML. */
function withoutTemplate(
  { messages, tools, variables }: Conversation,
  model: LocalModel,
): readonly PromptPart[] {
  const { chatProblem } = model.engine;
  if (chatProblem) throw new HttpError(501, chatProblem.message, { code: 'not_supported' });
  if (tools.length > 0 || messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls)) {
    const message = `Expected no tools, got some, of which this model's chat template knows nothing; describe in a message what may be done`;
    const param = tools.length > 0 ? 'tools' : 'messages';
    throw new HttpError(400, message, { param, code: 'unsupported_parameter' });
  }
  const tokenizer = tokenizerOf(model);
  if (['<|im_start|>', '<|im_end|>'].some((token) => tokenizer.specialTokenId(token) === undefined)) {
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

// The check of a prompt: one that cannot be decoded is refused before anything is streamed, as an answer that has begun
// cannot change its status any more.

/** About as many as a token of a usual text has. */
const CHARACTERS_PER_TOKEN = 4;

/** Throws HttpError for a model that came without a tokenizer. */
export function tokenizerOf({ engine, info }: LocalModel): NonNullable<LocalModel['engine']['tokenizer']> {
  if (engine.tokenizer) return engine.tokenizer;
  const message = `Expected a model with a tokenizer, got ${info.target}, which has none; add its tokenizer.json`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/**
 * Encodes a prompt. Throws HttpError for one that is longer than the context, without encoding more of it than shows
 * that.
 */
export async function encodeFitting(encoding: Encoding, model: LocalModel): Promise<readonly number[]> {
  const { input } = encoding;
  const text = typeof input === 'string' ? input : input.map((part) => part.text).join('');
  await requireRoom(text, model);
  return await encodeInTurns(tokenizerOf(model), encoding);
}

/** The prompt of a hole. Throws HttpError for a model that cannot fill in. */
export async function encodeHole(hole: Hole, model: LocalModel, maxTokens: number): Promise<FillIn> {
  const { engine, info } = model;
  const { maxPositionEmbeddings: contextTokens } = engine.config;
  const tokenizer = tokenizerOf(model);
  const prompt = new FillInPrompt(hole, { tokenizer, contextTokens }, maxTokens);
  const isKnown = fimForm(tokenizer) !== undefined;
  for (const text of isKnown ? prompt.texts : [])
    await encodeInTurns(tokenizer, { how: 'encodeText', input: text });
  const filled = prompt.build();
  if (filled) return filled;
  const message = `Expected a model with fill-in-the-middle tokens, got ${info.target}, which has none; use another model, or /v1/completions without a suffix`;
  throw new HttpError(501, message, { code: 'not_supported' });
}

/** With what ends a text in a hole, as in the editor. */
export function holeRequest(request: WireRequest, tokenizer: SpecialTokens): WireRequest {
  return {
    ...request,
    repetitionGuard: true,
    stopStrings: request.stopStrings?.map(withLf),
    stopTokenIds: [...fimEndTokenIds(tokenizer), ...request.stopTokenIds],
  };
}

/** Throws HttpError for a text that is longer than the context. */
async function requireRoom(text: string, model: LocalModel, field = 'prompt'): Promise<void> {
  const { maxPositionEmbeddings: context } = model.engine.config;
  for (let length = CHARACTERS_PER_TOKEN * context; length < text.length; length *= 2) {
    const begun = await encodeInTurns(tokenizerOf(model), {
      how: 'encodeText',
      input: text.slice(0, length),
    });
    if (begun.length >= context) throw tooLong(model, 'more', field);
  }
}

/** `field` is where the prompt comes from. */
export function requirePrompt(
  { promptIds, request: { sampling = {} } }: Choice,
  model: LocalModel,
  field = 'prompt',
): void {
  const { vocabSize, maxPositionEmbeddings: context } = model.engine.config;
  if (promptIds.length === 0)
    throw wrong('at least one token in the prompt', 'none', 'send some text', field);
  if (promptIds.length >= context) throw tooLong(model, String(promptIds.length), field);
  const requireIds = (ids: readonly number[], from: string): void => {
    if (ids.every((id) => Number.isInteger(id) && id >= 0 && id < vocabSize)) return;
    const expected = `token ids below ${String(vocabSize)}`;
    throw wrong(expected, 'another', `use the tokenizer of ${model.info.target}`, from);
  };
  requireIds(promptIds, field);
  const { forbiddenTokens = [], logitBias = [] } = sampling;
  requireIds([...forbiddenTokens, ...logitBias.map(([id]) => id)], 'logit_bias');
}

function tooLong({ engine }: LocalModel, got: string, field: string): HttpError {
  const expected = `a prompt of fewer than ${String(engine.config.maxPositionEmbeddings)} tokens`;
  return wrong(expected, got, 'send less', field, 'context_length_exceeded');
}

// eslint-disable-next-line max-params -- the parts of one sentence, and its place
function wrong(expected: string, got: string, remedy: string, param: string, code = 'invalid_value') {
  return new HttpError(400, `Expected ${expected}, got ${got}; ${remedy}`, { param, code });
}
