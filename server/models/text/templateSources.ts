// The sources of a model's chat template: the files and fields of a model directory that can hold one.
import { join } from 'node:path';
import { attempt, quoted } from '../../rules/userError';
import { fieldsOf } from '../../rules/json';
import { ConfigFields } from '../checkpoint/configFields';
import { isListed, readModelText } from '../checkpoint/modelText';
import { TOOL_TEMPLATE } from '../checkpoint/modelFiles';

const FIELD = 'chat_template';
const FILE = `${FIELD}.jinja`;
/** Names of the templates in a file that lists several. */
const PLAIN = 'default';
const FOR_TOOLS = 'tool_use';
export const OTHER_TEMPLATE = 'use a model with another template, or prompts without one';

export interface TemplateSources {
  readonly plain: string;
  /** Template for conversations with tools; the same as `plain` unless the model has two. */
  readonly withTools: string;
}

/** Reads the templates of a model; undefined if it has none. `config` is tokenizer_config.json. Throws UserError. */
export function readTemplateSources(directory: string, config: ConfigFields): TemplateSources | undefined {
  const plain = readTemplateFile(join(directory, FILE));
  const withTools = readTemplateFile(join(directory, TOOL_TEMPLATE));
  const sources = plain === undefined ? readField(directory, config) : { plain, withTools: plain };
  return sources && withTools !== undefined ? { ...sources, withTools } : sources;
}

/** Reads a template file; undefined if it does not exist. Throws UserError if it cannot be read. */
function readTemplateFile(file: string): string | undefined {
  return isListed(file)
    ? attempt(`a chat template in ${file}`, OTHER_TEMPLATE, () => readModelText(file))
    : undefined;
}

/**
 * Reads the templates in chat_template.json or tokenizer_config.json: one text, or several with names; undefined if
 * neither has any. Throws UserError for anything else.
 */
function readField(directory: string, config: ConfigFields): TemplateSources | undefined {
  const file = ConfigFields.readOptional(join(directory, 'chat_template.json'));
  const fields = file.has(FIELD) ? file : config;
  if (!fields.has(FIELD)) return undefined;
  const value = fields.raw(FIELD);
  if (typeof value === 'string') return { plain: value, withTools: value };
  const named = new Map((Array.isArray(value) ? value : []).flatMap(namedTemplate));
  const plain = named.get(PLAIN) ?? [...named.values()][0];
  if (plain !== undefined) return { plain, withTools: named.get(FOR_TOOLS) ?? plain };
  throw fields.refusal(`a template or a list of named ones as ${FIELD}`, quoted(value), OTHER_TEMPLATE);
}

function namedTemplate(entry: unknown): [name: string, template: string][] {
  const { name, template } = fieldsOf(entry);
  return typeof name === 'string' && typeof template === 'string' ? [[name, template]] : [];
}
