// The chat template of a model directory: messages to the prompt text its model was trained on.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { attempt, InputError, quoted } from '../../rules/inputError';
import { fieldsOf } from '../../rules/json';
import { withinTime } from '../../machine/withinTime';
import { ConfigFields, isListed, readModelText, TOOL_TEMPLATE } from '../checkpoint/configFields';
import { readTemplate } from './jinja/jinja';
import { readTokenizerConfig, tokenText, type LoadedTokenizer, type PromptPart } from './tokenizer';

const FIELD = 'chat_template';
const FILE = `${FIELD}.jinja`;
/** The names of those to use where there are several. */
const PLAIN = 'default';
const FOR_TOOLS = 'tool_use';
/** Far more than any template needs on a busy machine, and too little for it to use up the memory. */
const LIMIT_MS = 5_000;
const REMEDY = 'use a model with another template, or prompts without one';

/** A function that the model asked to be called. */
export interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  /** "tool": what a called function returned. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** Of the call that a "tool" answers, and the function's name. */
  readonly toolCallId?: string | undefined;
  readonly name?: string | undefined;
}

/** A function that the model may ask for, as in OpenAI's API: `{ type: 'function', function: { name, ... } }`. */
export type Tool = Readonly<Record<string, unknown>>;

/**
 * Renders messages with the assistant's turn opened. Undefined if there are tools, or messages about them, and the
 * template knows of none. Throws InputError for a conversation that the template refuses, and for a variable that it
 * does not use.
 */
export interface ChatTemplate {
  (
    messages: readonly ChatMessage[],
    tools?: readonly Tool[],
    variables?: TemplateVariables,
  ): readonly PromptPart[] | undefined;
  /** As the model's files have it. */
  readonly source?: string;
}

/**
 * Reads the template from any of the places where a model directory may have it; undefined if there is none. One that
 * cannot be read comes back as the error that says why: everything but a chat works without it.
 */
export function loadChatTemplate(
  directory: string,
  tokenizer: Pick<LoadedTokenizer, 'mark'> = { mark: (text) => text },
): ChatTemplate | InputError | undefined {
  const works = <T>(work: () => T): T =>
    withinTime(LIMIT_MS, `the chat template of ${directory}`, () =>
      attempt(`a chat template that works in ${directory}`, REMEDY, work),
    );
  const config = readTokenizerConfig(directory);
  const [written, forTools] = [FILE, TOOL_TEMPLATE].map((name) => writtenTemplate(join(directory, name)));
  try {
    const listed = written === undefined ? listedSources(directory, config) : sourcesOf(written);
    if (listed === undefined) return undefined;
    const sources = { ...listed, ...(forTools !== undefined && { withTools: forTools }) };
    const [plain, withTools] = works(() => [readTemplate(sources.plain), readTemplate(sources.withTools)]);
    const fixed = fixedVariables(config);
    let noTools: [] | null = null;
    const template: ChatTemplate = (messages, tools = [], variables = {}) => {
      const usesTools =
        tools.length > 0 || messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls);
      if (usesTools && !withTools.names.has('tools')) return undefined;
      const [render, source] = usesTools ? [withTools, sources.withTools] : [plain, sources.plain];
      const own = usedVariables(variables, render.names);
      const given = WANTS_NINE.test(source) ? messages.map(withIdsOfNine) : messages;
      return works(() =>
        promptParts(
          { messages: given, tools, variables: own },
          (all) => render({ ...fixed, ...all, tools: all['tools'] ?? noTools }),
          tokenizer,
        ),
      );
    };
    const first = [{ role: 'user', content: 'x' }] as const;
    try {
      // Filters and tests that are not known show only when they are used.
      template(first);
    } catch (error) {
      if (!plain.names.has('tools')) throw error;
      // One made for tools may want a list of them, if an empty one.
      noTools = [];
      template(first);
    }
    return Object.assign(template, { source: sources.plain });
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** Mistral's templates refuse a conversation in which the id of a call is not nine letters and digits. */
const WANTS_NINE = /\|\s*length\s*(?:!=|<)\s*9\b/;

function withIdsOfNine(message: ChatMessage): ChatMessage {
  const { toolCalls, toolCallId } = message;
  return {
    ...message,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: call.id && idOfNine(call.id) })) }),
    ...(toolCallId && { toolCallId: idOfNine(toolCallId) }),
  };
}

/** The same for the same id. */
function idOfNine(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function fixedVariables(config: ConfigFields): Readonly<Record<string, unknown>> {
  return {
    ...specialTokens(config),
    add_generation_prompt: true,
    // Drafters are trained on answers without a thinking part.
    enable_thinking: false,
    documents: null,
  };
}

/**
 * The template sees the texts as they are, so that it can trim and split them, but for a mark in each spelling of a special
 * token: cut there, no text of a message, a tool or a call becomes the token, which is only found within a part.
 */
function promptParts(
  conversation: Conversation,
  render: (variables: TemplateVariables) => string,
  tokenizer: Pick<LoadedTokenizer, 'mark'>,
): PromptPart[] {
  const { messages, tools, variables } = conversation;
  const mark = unusedMark(JSON.stringify(conversation));
  const marked = (value: unknown): unknown => mapTexts(value, (text) => tokenizer.mark(text, mark));
  const given = messages.map((message) => ({
    ...(marked(templateMessage(message)) as TemplateMessage),
    ...(message.role === 'assistant' && { content: markedAnswer(message.content, mark, tokenizer) }),
  }));
  const markedTools = tools.length > 0 ? marked(tools) : null;
  const others = marked(variables) as TemplateVariables;
  const rendered = renderSystem(given, (each) => render({ ...others, messages: each, tools: markedTools }));
  return rendered.split(mark).flatMap((text) => (text === '' ? [] : [{ text, from: 'template' }]));
}

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly variables: TemplateVariables;
}

/** What the model thinks stands between such tags in its answers, and templates cut it out of earlier turns. */
const THINKING = /<\/?[\w:]*think(?:ing)?>|\[\/?THINK\]/g;

/** Tags of thinking stay whole, unless a text without them would spell another token. */
function markedAnswer(text: string, mark: string, tokenizer: Pick<LoadedTokenizer, 'mark'>): string {
  const whole = text.replace(THINKING, '');
  const pieces = text.split(THINKING);
  const hidden = tokenizer.mark(whole, mark) !== pieces.map((piece) => tokenizer.mark(piece, mark)).join('');
  if (hidden) return tokenizer.mark(text, mark);
  const tags = text.match(THINKING) ?? [];
  return pieces.map((piece, i) => tokenizer.mark(piece, mark) + (tags[i] ?? '')).join('');
}

/** A noncharacter of Unicode that is in none of the texts; templates leave it as it is. */
function unusedMark(texts: string): string {
  const marks = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0xfdd0 + i));
  const mark = marks.find((each) => !texts.includes(each));
  if (mark !== undefined) return mark;
  throw new InputError({ expected: 'text', got: 'all noncharacters of Unicode', remedy: 'leave them out' });
}

function mapTexts(value: unknown, of: (text: string) => string): unknown {
  if (typeof value === 'string') return of(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, of));
  if (typeof value !== 'object' || value === null || value instanceof Number) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [of(key), mapTexts(each, of)]));
}

/** What a template sees of a message. */
interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
  readonly name?: string;
}

function templateMessage({ role, content, toolCalls, toolCallId, name }: ChatMessage): TemplateMessage {
  const calls = toolCalls?.map(({ id, ...call }) => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: call,
  }));
  return {
    role,
    content,
    ...(calls && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(name !== undefined && { name }),
  };
}

interface Sources {
  readonly plain: string;
  readonly withTools: string;
}

/** Undefined without such a file. Throws InputError where it cannot be read. */
function writtenTemplate(file: string): string | undefined {
  return isListed(file)
    ? attempt(`a chat template in ${file}`, REMEDY, () => readModelText(file))
    : undefined;
}

/** From chat_template.json or `config`, which is tokenizer_config.json: one text, or several with names. */
function listedSources(directory: string, config: ConfigFields): Sources | undefined {
  const own = ConfigFields.readOptional(join(directory, 'chat_template.json'));
  const fields = own.has(FIELD) ? own : config;
  return fields.has(FIELD) ? sourcesOf(fields.raw(FIELD), fields.source) : undefined;
}

/** Throws InputError for what is neither. */
function sourcesOf(value: unknown, source = ''): Sources {
  if (typeof value === 'string') return { plain: value, withTools: value };
  const named = new Map((Array.isArray(value) ? value : []).flatMap(namedTemplate));
  const plain = named.get(PLAIN) ?? [...named.values()][0];
  if (plain !== undefined) return { plain, withTools: named.get(FOR_TOOLS) ?? plain };
  throw new InputError({
    expected: `a template or a list of named ones in ${source}: ${FIELD}`,
    got: quoted(value),
    remedy: REMEDY,
  });
}

function namedTemplate(entry: unknown): [name: string, template: string][] {
  const { name, template } = fieldsOf(entry);
  return typeof name === 'string' && typeof template === 'string' ? [[name, template]] : [];
}

/** Gemma's templates refuse a system message, and others drop it; its text then begins the first turn. */
function renderSystem(
  messages: readonly TemplateMessage[],
  render: (messages: readonly TemplateMessage[]) => string,
): string {
  const [system, first, ...others] = messages;
  if (system?.role !== 'system' || first === undefined) return render(messages);
  const folded = [{ ...first, content: `${system.content}\n\n${first.content}` }, ...others];
  let whole: string;
  try {
    whole = render([{ ...system, content: SENTINEL }, first, ...others]);
  } catch (cause) {
    try {
      return render(folded);
    } catch {
      throw cause;
    }
  }
  return render(whole.includes(SENTINEL) ? messages : folded);
}

/** In place of a system message's text it shows whether a template writes that. */
const SENTINEL = 'flashline-system-message';

/** `bos_token` and the like, under their names. */
function specialTokens(config: ConfigFields): Readonly<Record<string, string>> {
  const names = ['bos_token', 'eos_token', ...config.names().filter((name) => name.endsWith('_token'))];
  const isText = (name: string): boolean => typeof config.raw(name) !== 'boolean';
  return Object.fromEntries(names.filter(isText).map((name) => [name, tokenText(config.raw(name))]));
}

// The variables that a client gives a chat template: those that it uses, and a refusal of the others.

/** Further variables of a template, such as `enable_thinking`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/** What every model does that has no such variable. */
const WITHOUT_EFFECT: TemplateVariables = {
  enable_thinking: false,
  thinking: false,
  reasoning_effort: 'none',
};
/** What a conversation itself is made of. */
const RESERVED = ['messages', 'tools'];

/** A variable with an effect that a template does not have. */
export class UnusedVariable extends InputError {
  constructor(readonly variable: string) {
    super({
      expected: "variables that this model's chat template uses",
      got: variable,
      remedy: 'leave it out',
    });
  }
}

/** Those of `given` that a template with these names uses. Throws UnusedVariable. */
export function usedVariables(given: TemplateVariables, names: ReadonlySet<string>): TemplateVariables {
  const { reasoning_effort: effort, ...others } = given;
  // A template that knows no efforts may know whether to think at all.
  const thinking = ['reasoning_effort', 'enable_thinking', 'thinking'].find((name) => names.has(name));
  const isEffort = thinking === undefined || thinking === 'reasoning_effort';
  const all = {
    ...(effort !== undefined && { [thinking ?? 'reasoning_effort']: isEffort ? effort : effort !== 'none' }),
    ...others,
  };
  const used = Object.entries(all).filter(([name, value]) => {
    if (names.has(name) && !RESERVED.includes(name)) return true;
    if (WITHOUT_EFFECT[name] === value) return false;
    throw new UnusedVariable(name);
  });
  return Object.fromEntries(used);
}
