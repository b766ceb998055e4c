// Reads the function calls out of what a model writes: between <tool_call> marks, as JSON (Qwen, Hermes) or as XML
// (Qwen3-Coder), or as JSON and nothing else (Llama, Mistral). Takes the text piece by piece. What turns out not to be
// a call is text like any other.
import { randomUUID } from 'node:crypto';
import { unfinishedStop } from '../rules/unfinishedStop';
import type { WireTool } from './chatMessages';
import type { TextFilter } from './generation';

/** A call as OpenAI's API has it; `arguments` is a JSON object as text. */
export interface WireToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

type Json = Readonly<Record<string, unknown>>;

/** The JSON schema of the parameters of each function, by its name. */
export type ToolParameters = ReadonlyMap<string, Json>;

const BEGIN = '<tool_call>';
const CALL = /\s*<tool_call>([^]*?)<\/tool_call>/;
/** The beginning of a call that has no marks, once there is enough to tell. */
const BARE = /^\s*\[?\s*\{\s*"(name|type|function)"/;
const ENOUGH_TO_TELL = 24;

/** `isParallel` false: calls after the first are left out. */
export function toolCallReader(tools: readonly WireTool[], isParallel = true): ToolCallReader {
  const parameters = tools.map(({ function: { name, parameters = {} } }) => [name, parameters] as const);
  return new ToolCallReader(new Map(parameters), isParallel ? Infinity : 1);
}

export class ToolCallReader implements TextFilter {
  readonly calls: WireToolCall[] = [];
  /** Text that may belong to a call. */
  #held = '';
  #isStart = true;

  /** `most`: calls beyond that are left out. */
  constructor(
    private readonly tools: ToolParameters,
    private readonly most: number,
  ) {}

  /** The text that is certain to belong to no call. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#isStart && mayBeBare(this.#held)) return '';
    let text = '';
    for (let call = CALL.exec(this.#held); call; call = CALL.exec(this.#held)) {
      const [whole, inner = ''] = call;
      text += this.#release(call.index);
      if (this.#add([this.#marked(inner)])) this.#held = this.#held.slice(whole.length);
      else text += this.#release(whole.length);
    }
    return text + this.#release(certainLength(this.#held));
  }

  /** What was held back, when the output has ended. A call without its end mark is one too. */
  flush(): string {
    const begin = this.#held.indexOf(BEGIN);
    const calls = begin < 0 ? this.#bare() : [this.#marked(this.#held.slice(begin + BEGIN.length))];
    const isOver = this.#add(calls) || (this.calls.length > 0 && this.#held.trim() === '');
    return isOver ? '' : this.#release(this.#held.length);
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

  #marked(inner: string): WireToolCall | undefined {
    const xml = /^\s*<function=([^>\s]+)>([^]*)$/.exec(inner);
    if (!xml) return wireCall(parsedJson(inner));
    const [, name = '', body = ''] = xml;
    const properties = this.tools.get(name)?.['properties'];
    const values = [...body.matchAll(/<parameter=([^>\s]+)>\n?([^]*?)\n?<\/parameter>/g)].map(
      ([, key = '', value = '']) => [key, typed(value, isObject(properties) ? properties[key] : undefined)],
    );
    return wireCall({ name, arguments: Object.fromEntries(values) as unknown });
  }

  #bare(): (WireToolCall | undefined)[] {
    if (!this.#isStart || !BARE.test(this.#held)) return [];
    const value = parsedJson(this.#held);
    return (Array.isArray(value) ? (value as unknown[]) : [value])
      .map(wireCall)
      .map((call) => (call && this.tools.has(call.function.name) ? call : undefined));
  }
}

function mayBeBare(text: string): boolean {
  const isShort = text.trim().length < ENOUGH_TO_TELL && /^\s*([[{]|$)/.test(text);
  return isShort || BARE.test(text);
}

/** Up to a call that has begun or may be about to, and the white space before it. */
function certainLength(text: string): number {
  const begin = text.indexOf(BEGIN);
  const end = begin >= 0 ? begin : text.length - unfinishedStop(text, [BEGIN]);
  return text.slice(0, end).trimEnd().length;
}

/** From `{ name, arguments }` or `{ name, parameters }`, also within `function`. */
function wireCall(value: unknown): WireToolCall | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value['function'])) return wireCall(value['function']);
  const { name, arguments: given = value['parameters'] ?? {} } = value;
  const args = typeof given === 'string' ? parsedJson(given) : given;
  if (typeof name !== 'string' || name === '' || !isObject(args)) return undefined;
  return {
    id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
}

/** XML says nothing of types: the schema does, and where it does not, what reads as JSON is JSON. */
function typed(text: string, schema: unknown): unknown {
  if (isObject(schema) && schema['type'] === 'string') return text;
  return parsedJson(text) ?? text;
}

/** Undefined for a text that is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
