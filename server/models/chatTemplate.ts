// The chat template of a model directory: messages to the prompt text its model was trained on.
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { attempt, InputError, quoted } from '../inputError';
import { withinTime } from '../withinTime';
import { ConfigFields, isListed } from './configFields';
import { readModelText } from './modelText';
import { readTokenizerConfig, tokenText, type PromptPart } from './tokenizer';

const FIELD = 'chat_template';
/** The name of the one to use where there are several; the others are for tools and documents. */
const PLAIN = 'default';
/** Far more than any template needs on a busy machine, and too little for it to use up the memory. */
const LIMIT_MS = 5_000;
const MOST_CHARACTERS = 16e6;
const LONGEST_RANGE = 100_000;
/** That of the library has no bounds. What follows is at the start of a line, as it was. */
const OWN_RANGE = '{% set range = short_range %}\n';

/** A function that the model asked to be called. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ChatMessage {
  /** "tool": what a called function returned. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
}

/** A function that the model may ask for, as in OpenAI's API: `{ type: 'function', function: { name, ... } }`. */
export type Tool = Readonly<Record<string, unknown>>;

/**
 * Renders messages with the assistant's turn opened. Undefined if there are tools, or messages about them, and the
 * template knows of none.
 */
export type ChatTemplate = (
  messages: readonly ChatMessage[],
  tools?: readonly Tool[],
) => readonly PromptPart[] | undefined;

/** Reads the template from any of the places where a model directory may have it; undefined if there is none. */
export function loadChatTemplate(directory: string): ChatTemplate | undefined {
  const config = readTokenizerConfig(directory);
  const source = templateSource(directory, config);
  if (source === undefined) return undefined;
  const works = <T>(work: () => T): T =>
    withinTime(LIMIT_MS, `the chat template of ${directory}`, () =>
      attempt(`a chat template of ${directory} that works`, 'download the model again', work),
    );
  const template = works(() => new Template(OWN_RANGE + source));
  const fixed = {
    ...specialTokens(config),
    add_generation_prompt: true,
    // Drafters are trained on answers without a thinking part (speculative-decoding.md F.11).
    enable_thinking: false,
    documents: null,
    short_range: shortRange,
  };
  const takesTools = /\btools\b/.test(source);
  return (messages, tools = []) => {
    const usesTools =
      tools.length > 0 || messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls);
    if (usesTools && !takesTools) return undefined;
    const given = { ...fixed, tools: tools.length > 0 ? cutTexts(tools) : null };
    const render = (each: readonly TemplateMessage[]): string =>
      shortEnough(template.render({ ...given, messages: each }));
    const rendered = works(() => renderSystem(messages.map(templateMessage), render));
    return rendered.split(MARK).flatMap((text, i): PromptPart[] => {
      // Splitting by a pattern with one group yields the template's texts and the numbers of the marks alternately.
      if (i % 2 === 1) return [{ text: messages[Number(text)]?.content ?? '', from: 'message' }];
      return text.split(CUT).flatMap((piece) => (piece === '' ? [] : [{ text: piece, from: 'template' }]));
    });
  };
}

function shortEnough(rendered: string): string {
  if (rendered.length <= MOST_CHARACTERS) return rendered;
  throw new Error(`${String(rendered.length)} characters`);
}

/** That of the language, which takes as much memory as it has numbers. */
function shortRange(from: number, to?: number, step = 1): readonly number[] {
  const [first, end] = to === undefined ? [0, from] : [from, to];
  const length = Math.max(0, Math.ceil((end - first) / step));
  if (!(length <= LONGEST_RANGE)) throw new Error(`a range of ${String(length)} numbers`);
  return Array.from({ length }, (_, i) => first + i * step);
}

/** What a template sees of a message. */
interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: unknown;
}

/**
 * Has a mark in place of the content, so that no message can pass its text off as the template's; templates tell an
 * empty content from others.
 */
function templateMessage({ role, content, toolCalls }: ChatMessage, index: number): TemplateMessage {
  const calls = toolCalls?.map((call) => ({ type: 'function', function: call }));
  return { role, content: content === '' ? '' : mark(index), ...(calls && { tool_calls: cutTexts(calls) }) };
}

/**
 * Texts that templates write in their own way, as JSON for example: cut wherever a special token could be spelled.
 * Parts of a prompt are joined again, but a token is only found within one.
 */
function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[^\p{L}\p{N}_\s]/gu, `$&${CUT}`);
  if (Array.isArray(value)) return value.map(cutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cutTexts(key), cutTexts(each)]));
}

/**
 * From chat_template.jinja, chat_template.json or `config`, which is tokenizer_config.json: one text, or several with
 * names. Throws InputError for anything else.
 */
function templateSource(directory: string, config: ConfigFields): string | undefined {
  const file = join(directory, 'chat_template.jinja');
  if (isListed(file))
    return attempt(`a chat template in ${file}`, 'download the model again', () => readModelText(file));
  const own = ConfigFields.readOptional(join(directory, 'chat_template.json'));
  const fields = own.has(FIELD) ? own : config;
  return fields.has(FIELD) ? textOf(fields) : undefined;
}

function textOf(fields: ConfigFields): string {
  const value = fields.raw(FIELD);
  if (typeof value === 'string') return value;
  const named = new Map((Array.isArray(value) ? value : []).flatMap(namedTemplate));
  const text = named.get(PLAIN) ?? [...named.values()][0];
  if (text !== undefined) return text;
  throw new InputError({
    expected: `a template or a list of named ones in ${fields.source}: ${FIELD}`,
    got: quoted(value),
    remedy: 'correct the file or download it again',
  });
}

function namedTemplate(entry: unknown): [name: string, template: string][] {
  if (typeof entry !== 'object' || entry === null || !('name' in entry) || !('template' in entry)) return [];
  const { name, template } = entry;
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
    whole = render(messages);
  } catch (cause) {
    try {
      return render(folded);
    } catch {
      throw cause;
    }
  }
  return whole.includes(system.content) ? whole : render(folded);
}

/** `bos_token` and the like, under their names. */
function specialTokens(config: ConfigFields): Readonly<Record<string, string>> {
  const names = ['bos_token', 'eos_token', ...config.names().filter((name) => name.endsWith('_token'))];
  const isText = (name: string): boolean => typeof config.raw(name) !== 'boolean';
  return Object.fromEntries(names.filter(isText).map((name) => [name, tokenText(config.raw(name))]));
}

/** Private-use characters, which no template writes. */
const MARK = /\uE000(\d+)\uE001/;
const CUT = '\uE002';

function mark(index: number): string {
  return `\uE000${String(index)}\uE001`;
}
