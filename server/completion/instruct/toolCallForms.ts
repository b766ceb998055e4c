// Parses the notations in which models write tool calls: JSON between marks (Qwen, Hermes), XML (Qwen3-Coder), Gemma
// 4's own, and JSON after a mark (Mistral, Llama).
import { randomBytes } from 'node:crypto';
import { parsePythonNumbers, stringifyPythonNumbers } from '../../rules/pythonNumbers';
import { isRecord } from '../../rules/json';

/** A call in the form of OpenAI's API; `arguments` is a JSON object as text. */
export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type Json = Readonly<Record<string, unknown>>;

/** JSON schemas of the parameters, by the names of the functions. */
export type ToolParameters = ReadonlyMap<string, Json>;

/** A notation: calls between two marks; without an end mark, from one mark to the next or to the end of the output. */
export interface CallForm {
  readonly begin: string;
  readonly end?: string;
  /**
   * Parses the text between the marks; with `isCut`, the text from the first mark to the end of an output that lacks
   * the end mark. Returns undefined for each call that cannot be parsed.
   */
  readonly read: (
    inner: string,
    tools: ToolParameters,
    isCut: boolean,
  ) => readonly (WireToolCall | undefined)[];
}

export const CALL_FORMS: readonly CallForm[] = [
  {
    begin: '<tool_call>',
    end: '</tool_call>',
    read: (inner, tools, isCut) => [xmlCall(inner, tools, isCut) ?? jsonCall(inner)],
  },
  { begin: '<|tool_call>', end: '<tool_call|>', read: (inner) => [gemmaCall(inner)] },
  { begin: '[TOOL_CALLS]', read: mistralCalls },
  { begin: '<|python_tag|>', read: llamaCalls },
];
/** Mark around strings in Gemma 4's notation. */
const TEXT_MARK = '<|"|>';
/** Tokens of calls. Some vocabularies have them as special tokens, which a decoder spells out only on request. */
export const CALL_TOKENS = [
  ...CALL_FORMS.flatMap(({ begin, end }) => (end === undefined ? [begin] : [begin, end])),
  TEXT_MARK,
  '[ARGS]',
  '[CALL_ID]',
];

/** Matches a parameter in XML. */
const PARAMETER = /<parameter=([^>\s]+)>\n?([^]*?)\n?<\/parameter>/g;

/**
 * Parses <function=NAME><parameter=KEY>VALUE</parameter>...</function>. Undefined for an output that ends within a
 * parameter, or before </function>: without the rest, the call would do something else.
 */
function xmlCall(inner: string, tools: ToolParameters, isCut: boolean): WireToolCall | undefined {
  const [, name, body = ''] = /^\s*<function=([^>\s]+)>([^]*)$/.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const rest = body.replaceAll(PARAMETER, '');
  if (/<parameter=(?![^]*<\/function>)/.test(rest)) return undefined;
  if (isCut && !rest.includes('</function>')) return undefined;
  const properties = tools.get(name)?.['properties'];
  const values = [...body.matchAll(PARAMETER)].map(([, key = '', value = '']) => [
    key,
    typedValue(value, isRecord(properties) ? properties[key] : undefined),
  ]);
  return wireCall({ name, arguments: Object.fromEntries(values) as unknown });
}

/** Parses call:NAME{KEY:VALUE,...}, with strings between TEXT_MARKs. */
function gemmaCall(inner: string): WireToolCall | undefined {
  const [, name, body = ''] = /^\s*call:([^\s{]+)\s*(\{[^]*\})\s*$/.exec(inner) ?? [];
  const json = body
    .split(TEXT_MARK)
    .map((piece, i) =>
      i % 2 === 1 ? JSON.stringify(piece) : piece.replace(/[^\s{}[\],:"][^{}[\],:"]*/g, gemmaWord),
    )
    .join('');
  return wireCall({ name, arguments: parsedJson(json) });
}

/** Converts a word outside TEXT_MARKs to JSON: a key, a literal such as 1 or None, or a string without its marks. */
function gemmaWord(word: string, at: number, piece: string): string {
  const isKey = piece.startsWith(':', at + word.length);
  if (!isKey && word.trim() === 'None') return 'null';
  return !isKey && parsedJson(word) !== undefined ? word : JSON.stringify(word.trim());
}

/** Parses a list in JSON, or NAME[ARGS]{...} with an optional id between them. */
function mistralCalls(inner: string): readonly (WireToolCall | undefined)[] {
  const named = /^\s*([\w.-]+)(?:\[CALL_ID\](\w+))?(?:\[ARGS\])?\s*(\{[^]*\})\s*$/.exec(inner);
  if (!named) return jsonCalls(inner);
  const [, name, id, args = ''] = named;
  return [wireCall({ id, name, arguments: parsedJson(args) })];
}

/** Parses one call in JSON, whose texts can contain semicolons, or several with semicolons between them. */
function llamaCalls(inner: string): readonly (WireToolCall | undefined)[] {
  const call = jsonCall(inner);
  return call ? [call] : inner.split(/;\s*(?=\{)/).map(jsonCall);
}

/** Parses one call or a list of calls in JSON. */
export function jsonCalls(text: string): readonly (WireToolCall | undefined)[] {
  const value = parsedJson(text);
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map(wireCall);
}

function jsonCall(text: string): WireToolCall | undefined {
  return wireCall(parsedJson(text));
}

/**
 * Converts `{ name, arguments }` or `{ name, parameters }`, also within `function`, to a call. Undefined for any other
 * value, and for arguments that are undefined because they could not be parsed.
 */
function wireCall(value: unknown): WireToolCall | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value['function'])) return wireCall({ id: value['id'], ...value['function'] });
  const { id, name } = value;
  const given = 'arguments' in value ? value['arguments'] : (value['parameters'] ?? {});
  const args = typeof given === 'string' ? parsedJson(given) : given;
  if (typeof name !== 'string' || name === '' || !isRecord(args)) return undefined;
  return {
    id: typeof id === 'string' && id !== '' ? id : newId(),
    type: 'function',
    function: { name, arguments: stringifyPythonNumbers(args) },
  };
}

/** Returns nine letters and digits, as Mistral's templates require; other templates accept any id. */
function newId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}

/** Returns the value of a parameter in XML, which has no types: by its schema, else as JSON, else as a string. */
function typedValue(text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if (text === 'null' && types.has('null')) return null;
  types.delete('null');
  if (types.size === 1 && types.has('string')) return text;
  // Models also write booleans as Python does.
  const value = parsedJson(
    types.has('boolean') ? text.replace(/^(True|False)$/, (word) => word.toLowerCase()) : text,
  );
  return value === undefined ? text : value;
}

/** Returns all types that a schema allows, including those of alternatives and of enumerated values. */
function typesOf(schema: unknown): Set<unknown> {
  if (!isRecord(schema)) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema;
  const alternatives = [anyOf, oneOf].filter((schemas) => Array.isArray(schemas)).flat();
  const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);
  const enumTypes = Array.isArray(values) && type === undefined ? values.map(typeOf) : [];
  return new Set([
    ...(type === undefined ? [] : [type].flat()),
    ...enumTypes,
    ...alternatives.flatMap((schema) => [...typesOf(schema)]),
  ]);
}

/** Parses JSON with exact numbers; returns undefined for any other text. */
function parsedJson(text: string): unknown {
  try {
    return parsePythonNumbers(text);
  } catch {
    return undefined;
  }
}
