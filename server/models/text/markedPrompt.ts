// Renders a conversation so that no text of a message, a tool or a call becomes a special token, except thinking tags
// in answers. The template gets these texts unchanged except for a mark inside each spelling of a special token, so
// that it can still trim and split them. The rendered prompt is cut at the marks; special tokens are only found within
// a part.
import type { ChatMessage, Conversation, TemplateVariables } from '../../protocol/conversation';
import { stringifyPythonNumbers } from '../../rules/pythonNumbers';
import { WrongValue } from '../../rules/userError';
import { THINKING_TAG } from './thinkingTags';
import type { PromptPart, SpecialTokenMarker } from './tokenizer';

/** A message with the field names of templates. */
interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** Placeholder for the text of a system message, to test whether a template writes it. */
const SENTINEL = 'flashline-system-message';

/**
 * Renders a conversation: calls `render` with its variables, marked, and cuts the result at the marks. Throws
 * WrongValue if the conversation contains all characters that can be marks, and the errors of `render`.
 */
export function promptParts(
  conversation: Conversation,
  render: (variables: TemplateVariables) => string,
  marker: SpecialTokenMarker,
): PromptPart[] {
  const { messages, tools, variables } = conversation;
  const mark = unusedMark(stringifyPythonNumbers(conversation));
  const marked = (value: unknown): unknown => mapTexts(value, (text) => marker.mark(text, mark));
  const markedMessages = messages.map((message) => ({
    ...(marked(templateMessage(message)) as TemplateMessage),
    ...(message.role === 'assistant' && { content: markedAnswer(message.content, mark, marker) }),
  }));
  const markedTools = tools.length > 0 ? marked(tools) : null;
  const markedVariables = marked(variables) as TemplateVariables;
  const rendered = renderSystem(markedMessages, (templateMessages) =>
    render({ ...markedVariables, messages: templateMessages, tools: markedTools }),
  );
  return rendered.split(mark).flatMap((text) => (text === '' ? [] : [{ text, from: 'template' }]));
}

/**
 * Marks the text of an answer. Keeps thinking tags whole, because templates cut earlier thinking out at them, unless
 * removing them would spell another special token.
 */
function markedAnswer(text: string, mark: string, marker: SpecialTokenMarker): string {
  const withoutTags = text.replace(THINKING_TAG, '');
  const pieces = text.split(THINKING_TAG);
  const spellsToken =
    marker.mark(withoutTags, mark) !== pieces.map((piece) => marker.mark(piece, mark)).join('');
  if (spellsToken) return marker.mark(text, mark);
  const tags = text.match(THINKING_TAG) ?? [];
  return pieces.map((piece, i) => marker.mark(piece, mark) + (tags[i] ?? '')).join('');
}

/** Returns a noncharacter of Unicode that is not in `texts`; templates do not change it. */
function unusedMark(texts: string): string {
  const marks = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0xfdd0 + i));
  const mark = marks.find((candidate) => !texts.includes(candidate));
  if (mark !== undefined) return mark;
  throw new WrongValue({
    expected: 'at most 31 of the noncharacters U+FDD0 to U+FDEF in a conversation',
    got: 'all 32',
    remedy: 'remove one of them',
  });
}

/** Changes all texts in a JSON value, names of fields included. Drops undefined fields, at which templates fail. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[change(key), mapTexts(item, change)]],
    ),
  );
}

function templateMessage(message: ChatMessage): TemplateMessage {
  const { role, content, reasoning, toolCalls, toolCallId, name } = message;
  const calls = toolCalls?.map(({ id, ...call }) => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: call,
  }));
  return {
    role,
    content,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(name !== undefined && { name }),
  };
}

/**
 * Renders messages. Moves a system message into the first turn if the template drops it or, as Gemma's do, refuses it.
 */
function renderSystem(
  messages: readonly TemplateMessage[],
  render: (messages: readonly TemplateMessage[]) => string,
): string {
  const [system, first, ...rest] = messages;
  if (system?.role !== 'system' || first === undefined) return render(messages);
  const folded = [{ ...first, content: `${system.content}\n\n${first.content}` }, ...rest];
  let rendered: string;
  try {
    rendered = render([{ ...system, content: SENTINEL }, first, ...rest]);
  } catch (cause) {
    try {
      return render(folded);
    } catch {
      throw cause;
    }
  }
  return render(rendered.includes(SENTINEL) ? messages : folded);
}
