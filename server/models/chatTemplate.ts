// The chat template of a model directory: messages to the prompt text its model was trained on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';
import type { PromptPart } from './tokenizer';
import { tokenText } from './tokenText';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Renders messages with the assistant's turn opened. */
export type ChatTemplate = (messages: readonly ChatMessage[]) => readonly PromptPart[];

/** Reads chat_template.jinja, or the field of tokenizer_config.json; undefined where there is neither. */
export function loadChatTemplate(directory: string): ChatTemplate | undefined {
  const configFile = join(directory, 'tokenizer_config.json');
  const config = existsSync(configFile) ? ConfigFields.read(configFile) : new ConfigFields(configFile, {});
  const source = readSource(directory, config);
  if (source === undefined) return undefined;
  const special = Object.fromEntries(
    ['bos_token', 'eos_token', 'pad_token'].map((name) => [name, tokenText(config.raw(name))]),
  );
  const where = `chat template of ${directory}`;
  const template = attempt(where, () => new Template(source));
  return (messages) => {
    // The template sees a mark in place of each content, so that nothing a message says can be taken for its own.
    const marked = messages.map(({ role }, i) => ({ role, content: mark(i) }));
    // Drafters are trained on answers without a thinking part (speculative-decoding.md F.11).
    const variables = { ...special, messages: marked, add_generation_prompt: true, enable_thinking: false };
    const rendered = attempt(where, () => template.render(variables));
    return rendered.split(MARK).flatMap((text, i): PromptPart[] => {
      // Splitting by a pattern with one group gives the template's texts and the numbers of the marks by turns.
      if (i % 2 === 1) return [{ text: messages[Number(text)]?.content ?? '', from: 'message' }];
      return text === '' ? [] : [{ text, from: 'template' }];
    });
  };
}

/** Private-use characters, which no template writes. */
const MARK = /\uE000(\d+)\uE001/;

function mark(index: number): string {
  return `\uE000${String(index)}\uE001`;
}

function readSource(directory: string, config: ConfigFields): string | undefined {
  const file = join(directory, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  return config.has('chat_template') ? config.string('chat_template') : undefined;
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
