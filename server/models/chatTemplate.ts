// The chat template of a model directory: messages to the prompt text its model was trained on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { InputError } from '../inputError';
import { chatTemplateSource } from './chatTemplateSource';
import { ConfigFields } from './configFields';
import type { PromptPart } from './tokenizer';
import { tokenText } from './tokenText';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Renders messages with the assistant's turn opened. */
export type ChatTemplate = (messages: readonly ChatMessage[]) => readonly PromptPart[];

/** Reads the template from where a model directory may have it; undefined where there is none. */
export function loadChatTemplate(directory: string): ChatTemplate | undefined {
  const configFile = join(directory, 'tokenizer_config.json');
  const config = existsSync(configFile) ? ConfigFields.read(configFile) : new ConfigFields(configFile, {});
  const source = chatTemplateSource(directory, config);
  if (source === undefined) return undefined;
  const where = `chat template of ${directory}`;
  const template = attempt(where, () => new Template(source));
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
    // The template sees a mark in place of each content, so that nothing a message says can be taken for its own.
    const marked = messages.map(({ role }, i) => ({ role, content: mark(i) }));
    const rendered = attempt(where, () => renderSystem(marked, render));
    return rendered.split(MARK).flatMap((text, i): PromptPart[] => {
      // Splitting by a pattern with one group gives the template's texts and the numbers of the marks by turns.
      if (i % 2 === 1) return [{ text: messages[Number(text)]?.content ?? '', from: 'message' }];
      return text === '' ? [] : [{ text, from: 'template' }];
    });
  };
}

/** Gemma's templates refuse a system message, and others leave it out: then its text begins the first turn. */
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

function attempt<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new InputError({
      expected: `a ${where} that works`,
      got,
      remedy: 'download the model again',
      cause,
    });
  }
}
