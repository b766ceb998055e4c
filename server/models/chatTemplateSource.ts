// Where a model directory has its chat template: chat_template.jinja, chat_template.json, or tokenizer_config.json,
// as one text or as several that have names.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';

const FIELD = 'chat_template';
/** Of several templates; the others are for tools and documents. */
const PLAIN = 'default';

/** `config` is tokenizer_config.json. Throws InputError for a template that is not one. */
export function chatTemplateSource(directory: string, config: ConfigFields): string | undefined {
  const file = join(directory, 'chat_template.jinja');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const json = join(directory, 'chat_template.json');
  const own = existsSync(json) ? ConfigFields.read(json) : config;
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
