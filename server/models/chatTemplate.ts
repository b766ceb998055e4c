// The chat template of a model directory: messages to the prompt text its model was trained on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { attempt, InputError } from '../inputError';
import { ConfigFields } from './configFields';
import { readTokenizerConfig, tokenText, type PromptPart } from './tokenizer';

const FIELD = 'chat_template';
/** The name of the one to use where there are several; the others are for tools and documents. */
const PLAIN = 'default';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Renders messages with the assistant's turn opened. */
export type ChatTemplate = (messages: readonly ChatMessage[]) => readonly PromptPart[];

/** Reads the template from any of the places where a model directory may have it; undefined if there is none. */
export function loadChatTemplate(directory: string): ChatTemplate | undefined {
  const config = readTokenizerConfig(directory);
  const source = templateSource(directory, config);
  if (source === undefined) return undefined;
  const works = <T>(work: () => T): T =>
    attempt(`a chat template of ${directory} that works`, 'download the model again', work);
  const template = works(() => new Template(source));
  const fixed = {
    ...specialTokens(config),
    add_generation_prompt: true,
    // Drafters are trained on answers without a thinking part (speculative-decoding.md F.11).
    enable_thinking: false,
    tools: null,
    documents: null,
  };
  const render = (messages: readonly ChatMessage[]): string => template.render({ ...fixed, messages });
  return (messages) => {
    // The template sees a mark in place of each content, so that no message can pass its text off as the template's.
    const marked = messages.map(({ role }, i) => ({ role, content: mark(i) }));
    const rendered = works(() => renderSystem(marked, render));
    return rendered.split(MARK).flatMap((text, i): PromptPart[] => {
      // Splitting by a pattern with one group yields the template's texts and the numbers of the marks alternately.
      if (i % 2 === 1) return [{ text: messages[Number(text)]?.content ?? '', from: 'message' }];
      return text === '' ? [] : [{ text, from: 'template' }];
    });
  };
}

/**
 * From chat_template.jinja, chat_template.json or `config`, which is tokenizer_config.json: one text, or several with
 * names. Throws InputError for anything else.
 */
function templateSource(directory: string, config: ConfigFields): string | undefined {
  const file = join(directory, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
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
    got: JSON.stringify(value).slice(0, 60),
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
  messages: readonly ChatMessage[],
  render: (messages: readonly ChatMessage[]) => string,
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

function mark(index: number): string {
  return `\uE000${String(index)}\uE001`;
}
