// Reads the function calls out of what a model writes: between marks, as JSON (Qwen, Hermes), as XML (Qwen3-Coder) or in
// Gemma 4's own notation, behind a mark up to the end (Mistral, Llama), or as JSON and nothing else (Llama, Mistral).
// Takes the text piece by piece. What turns out not to be a call is text like any other.
import { randomBytes } from 'node:crypto';
import type { Tokenizer } from '../../models/text/tokenizer';
import { isRecord } from '../../rules/json';
import { StopStrings } from '../../rules/stopStrings';
import type { Decoder } from '../decoder';
import { specialTokenIds } from '../prompt/fimForm';
import { turnEndTokenIds } from '../prompt/prompt';

/** A call as OpenAI's API has it; `arguments` is a JSON object as text. */
export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

type Json = Readonly<Record<string, unknown>>;

/** What is read of a function that may be called. */
interface CallableTool {
  readonly function: { readonly name: string; readonly parameters?: Json | undefined };
}

/** The JSON schema of the parameters of each function, by its name. */
export type ToolParameters = ReadonlyMap<string, Json>;

/** Calls between two marks, or from a mark to the next or to the end of the output. */
interface Form {
  readonly begin: string;
  readonly end?: string;
  readonly read: (inner: string, tools: ToolParameters) => readonly (WireToolCall | undefined)[];
}

const FORMS: readonly Form[] = [
  {
    begin: '<tool_call>',
    end: '</tool_call>',
    read: (inner, tools) => [xmlCall(inner, tools) ?? jsonCall(inner)],
  },
  { begin: '<|tool_call>', end: '<tool_call|>', read: (inner) => [gemmaCall(inner)] },
  { begin: '[TOOL_CALLS]', read: mistralCalls },
  { begin: '<|python_tag|>', read: (inner) => inner.split(/;\s*(?=\{)/).map(jsonCall) },
];
const TEXT_MARK = '<|"|>';
/** Tokens of calls, which may be special ones: the reader needs their spellings. */
export const CALL_TOKENS = [
  ...FORMS.flatMap(({ begin, end }) => [begin, end ?? '']),
  ...[TEXT_MARK, '[ARGS]', '[CALL_ID]'],
];

/** The beginning of a call that has no marks, once there is enough to tell. */
const BARE = /^\s*\[?\s*\{\s*"(name|type|function)"/;
const ENOUGH_TO_TELL = 24;

/**
 * `isParallel` false: calls after the first are left out. Marks that are no token of the vocabulary are text, but for
 * the first ones, which a model may spell.
 */
export function toolCallReader(
  tools: readonly CallableTool[],
  vocabulary: Pick<Tokenizer, 'specialTokenId'>,
  isParallel = true,
): ToolCallReader {
  const parameters = tools.map(({ function: { name, parameters = {} } }) => [name, parameters] as const);
  const forms = FORMS.filter(({ begin }, i) => i === 0 || vocabulary.specialTokenId(begin) !== undefined);
  return new ToolCallReader(new Map(parameters), forms, isParallel ? Infinity : 1);
}

export class ToolCallReader {
  readonly calls: WireToolCall[] = [];
  /** Text that may belong to a call. */
  #held = '';
  #isStart = true;

  /** `most`: calls beyond that are left out. */
  constructor(
    private readonly tools: ToolParameters,
    private readonly forms: readonly Form[],
    private readonly most: number,
  ) {}

  /** The text that is certain to belong to no call. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#isStart && mayBeBare(this.#held)) return '';
    return this.#marked(false) + this.#release(certainLength(this.#held, this.forms));
  }

  /** What was held back, when the output has ended. A call without its end mark is one too. */
  flush(): string {
    if (this.#add(this.#bare())) return '';
    const text = this.#marked(true);
    const isOver = this.calls.length > 0 && this.#held.trim() === '';
    return isOver ? text : text + this.#release(this.#held.length);
  }

  /** Takes the calls between marks, and gives back the text before and between them. */
  #marked(isOver: boolean): string {
    let text = '';
    const next = () => markedPart(this.#held, this.forms, isOver);
    for (let part = next(); part; part = next()) {
      const before = this.#held.slice(0, part.begin).trimEnd().length;
      if (this.#add(part.form.read(part.inner, this.tools))) {
        text += this.#release(before);
        this.#held = this.#held.slice(part.end - before);
      } else text += this.#release(part.end);
    }
    return text;
  }

  #release(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#isStart &&= text === '';
    return text;
  }

  /** False, and nothing is added, if there is none or one of them is no call. */
  #add(calls: readonly (WireToolCall | undefined)[]): boolean {
    const whole = calls.filter((call) => call !== undefined);
    if (whole.length === 0 || whole.length < calls.length) return false;
    this.calls.push(...whole.slice(0, this.most - this.calls.length));
    this.#isStart = false;
    return true;
  }

  #bare(): readonly (WireToolCall | undefined)[] {
    if (!this.#isStart || !BARE.test(this.#held)) return [];
    return jsonCalls(this.#held).map((call) =>
      call && this.tools.has(call.function.name) ? call : undefined,
    );
  }
}

function mayBeBare(text: string): boolean {
  const isShort = text.trim().length < ENOUGH_TO_TELL && /^\s*([[{]|$)/.test(text);
  return isShort || BARE.test(text);
}

/** The first part with marks around it that has an end; `begin` and `end` are places in the text. */
function markedPart(text: string, forms: readonly Form[], isOver: boolean) {
  const begins = forms.map(({ begin }) => text.indexOf(begin)).map((at) => (at < 0 ? Infinity : at));
  const begin = Math.min(...begins);
  const form = forms[begins.indexOf(begin)];
  if (form === undefined || begin === Infinity) return undefined;
  const from = begin + form.begin.length;
  const to = text.indexOf(form.end ?? form.begin, from);
  if (to < 0 && !isOver) return undefined;
  const inner = text.slice(from, to < 0 ? undefined : to);
  return { form, inner, begin, end: from + inner.length + (to < 0 ? 0 : (form.end ?? '').length) };
}

/** Up to a call that has begun or may be about to, and the white space before it. */
function certainLength(text: string, forms: readonly Form[]): number {
  const marks = new StopStrings(forms.map(({ begin }) => begin));
  const end = marks.find(text) ?? text.length - marks.unfinished(text);
  return text.slice(0, end).trimEnd().length;
}

function xmlCall(inner: string, tools: ToolParameters): WireToolCall | undefined {
  const [, name, body = ''] = /^\s*<function=([^>\s]+)>([^]*)$/.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const properties = tools.get(name)?.['properties'];
  const values = [...body.matchAll(/<parameter=([^>\s]+)>\n?([^]*?)\n?<\/parameter>/g)].map(
    ([, key = '', value = '']) => [key, typed(value, isRecord(properties) ? properties[key] : undefined)],
  );
  return wireCall({ name, arguments: Object.fromEntries(values) as unknown });
}

/** call:NAME{KEY:VALUE,...}, with texts between marks of their own. */
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

/** A key, a number, true, false, or a text that the model has put no marks around. */
function gemmaWord(word: string, at: number, piece: string): string {
  const isKey = piece.startsWith(':', at + word.length);
  if (!isKey && word.trim() === 'None') return 'null';
  return !isKey && parsedJson(word) !== undefined ? word : JSON.stringify(word.trim());
}

/** A list in JSON, or NAME[ARGS]{...}, perhaps with an id between them. */
function mistralCalls(inner: string): readonly (WireToolCall | undefined)[] {
  const named = /^\s*([\w.-]+)(?:\[CALL_ID\](\w+))?(?:\[ARGS\])?\s*(\{[^]*\})\s*$/.exec(inner);
  if (!named) return jsonCalls(inner);
  const [, name, id, args = ''] = named;
  return [wireCall({ id, name, arguments: parsedJson(args) })];
}

function jsonCalls(text: string): readonly (WireToolCall | undefined)[] {
  const value = parsedJson(text);
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map(wireCall);
}

function jsonCall(text: string): WireToolCall | undefined {
  return wireCall(parsedJson(text));
}

/** From `{ name, arguments }` or `{ name, parameters }`, also within `function`. */
function wireCall(value: unknown): WireToolCall | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value['function'])) return wireCall({ id: value['id'], ...value['function'] });
  const { id, name, arguments: given = value['parameters'] ?? {} } = value;
  const args = typeof given === 'string' ? parsedJson(given) : given;
  if (typeof name !== 'string' || name === '' || !isRecord(args)) return undefined;
  return {
    id: typeof id === 'string' && id !== '' ? id : newId(),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
}

/** Nine letters and digits, as Mistral's templates want it; the others take any. */
function newId(): string {
  return randomBytes(5).toString('hex').slice(0, 9);
}

/** XML says nothing of types: the schema does, and where it does not, what reads as JSON is JSON. */
function typed(text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if (text === 'null' && types.has('null')) return null;
  types.delete('null');
  if (types.size === 1 && types.has('string')) return text;
  // As Python writes them.
  const value = parsedJson(
    types.has('boolean') ? text.replace(/^(True|False)$/, (word) => word.toLowerCase()) : text,
  );
  return value === undefined ? text : value;
}

/** Also of a list of types, and of alternatives. */
function typesOf(schema: unknown): Set<unknown> {
  if (!isRecord(schema)) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema;
  const others = [anyOf, oneOf].filter((each) => Array.isArray(each)).flat();
  const ofValues = Array.isArray(values) && type === undefined ? values.map((value) => typeof value) : [];
  return new Set([
    ...(type === undefined ? [] : [type].flat()),
    ...ofValues,
    ...others.flatMap((each) => [...typesOf(each)]),
  ]);
}

/** Undefined for a text that is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// An answer to a conversation, piece by piece and without the calls of tools in it.

interface ChatAnswerOptions {
  readonly maxTokens: number;
  /** Undefined where there is nothing to call. */
  readonly reader: ToolCallReader | undefined;
  readonly signal: AbortSignal;
}

/** The text without its calls, which the reader has at the end. */
export async function* chatAnswer(
  promptIds: readonly number[],
  { maxTokens, reader, signal }: ChatAnswerOptions,
  decoder: Decoder,
): AsyncGenerator<string, void, undefined> {
  const { tokenizer } = decoder;
  const limits = {
    ...{ maxTokens, signal },
    stopStrings: [],
    stopTokenIds: turnEndTokenIds(tokenizer),
    spelledTokenIds: specialTokenIds(reader ? CALL_TOKENS : [], tokenizer),
  };
  for await (const { text } of decoder.decode(promptIds, limits)) {
    const piece = reader ? reader.push(text) : text;
    if (piece !== '') yield piece;
  }
  // What was cut off in the middle is no call.
  const rest = signal.aborted ? '' : (reader?.flush() ?? '');
  if (rest !== '') yield rest;
}
