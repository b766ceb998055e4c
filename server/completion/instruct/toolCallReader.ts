// Separates the tool calls in an output from its text, while the output arrives. Calls are between marks, or the whole
// output is a call in JSON without marks (Llama, Mistral). Held text that proves not to be a call is emitted.
import type { SpecialTokens } from '../../models/text/tokenizer';
import type { Tool } from '../../protocol/conversation';
import { StopStrings } from '../../rules/stopStrings';
import {
  CALL_FORMS,
  jsonCalls,
  type CallForm,
  type ToolParameters,
  type WireToolCall,
} from './toolCallForms';

/** Matches the beginning of a call without marks. */
const BARE = /^\s*\[?\s*\{\s*"(name|type|function)"/;
/** Characters of an output that suffice to decide whether it begins with a call without marks. */
const BARE_LENGTH = 24;

export class ToolCallReader {
  readonly calls: WireToolCall[] = [];
  /** Text held back because it can belong to a call. */
  #held = '';
  /** Whether no text was emitted and no call was found yet. */
  #isStart = true;

  /** Calls beyond `maxCalls` are dropped. */
  constructor(
    private readonly tools: ToolParameters,
    private readonly forms: readonly CallForm[],
    private readonly maxCalls: number,
  ) {}

  /** Adds a piece of output, and returns the text that is certain not to belong to a call. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#isStart && canBeBare(this.#held)) return '';
    return this.#marked(false) + this.#release(certainLength(this.#held, this.forms));
  }

  /** Returns the rest of the text at the end of the output. A call without its end mark counts as a call. */
  flush(): string {
    if (this.#add(this.#bare())) return '';
    const text = this.#marked(true);
    const isOnlyCalls = this.calls.length > 0 && this.#held.trim() === '';
    return isOnlyCalls ? text : text + this.#release(this.#held.length);
  }

  /** Moves the calls between marks out of the held text, and returns the text before and between them. */
  #marked(isOver: boolean): string {
    let text = '';
    const next = () => markedPart(this.#held, this.forms, isOver);
    for (let part = next(); part; part = next()) {
      const before = this.#held.slice(0, part.begin).trimEnd().length;
      if (this.#add(part.form.read(part.inner, this.tools, part.isCut))) {
        text += this.#release(before);
        this.#held = this.#held.slice(part.end - before);
      } else text += this.#release(part.end);
    }
    return text;
  }

  /** Removes the first characters from the held text, and returns them. */
  #release(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#isStart &&= text === '';
    return text;
  }

  /** Adds calls. Returns false, and adds none, if there are none or one of them could not be read. */
  #add(calls: readonly (WireToolCall | undefined)[]): boolean {
    const readable = calls.filter((call) => call !== undefined);
    if (readable.length === 0 || readable.length < calls.length) return false;
    this.calls.push(...readable.slice(0, this.maxCalls - this.calls.length));
    this.#isStart = false;
    return true;
  }

  /** Parses the whole output as calls without marks; undefined for each call that is not of one of the tools. */
  #bare(): readonly (WireToolCall | undefined)[] {
    if (!this.#isStart || !BARE.test(this.#held)) return [];
    return jsonCalls(this.#held).map((call) =>
      call && this.tools.has(call.function.name) ? call : undefined,
    );
  }
}

/** Returns whether an output begins like a call without marks, or can still do so. */
function canBeBare(text: string): boolean {
  const isShort = text.trim().length < BARE_LENGTH && /^\s*([[{]|$)/.test(text);
  return isShort || BARE.test(text);
}

/**
 * Returns the first text between marks, with the offsets at which its marks begin and end; undefined if there is none
 * whose end has arrived. If the output is over, a text without its end mark ends with it.
 */
function markedPart(text: string, forms: readonly CallForm[], isOver: boolean) {
  const begins = forms.map(({ begin }) => text.indexOf(begin)).map((at) => (at < 0 ? Infinity : at));
  const begin = Math.min(...begins);
  const form = forms[begins.indexOf(begin)];
  if (form === undefined || begin === Infinity) return undefined;
  const from = begin + form.begin.length;
  const to = text.indexOf(form.end ?? form.begin, from);
  if (to < 0 && !isOver) return undefined;
  const inner = text.slice(from, to < 0 ? undefined : to);
  const isCut = to < 0 && form.end !== undefined;
  return { form, inner, isCut, begin, end: from + inner.length + (to < 0 ? 0 : (form.end ?? '').length) };
}

/**
 * Returns the length of the text that belongs to no call: up to the first begin mark, or up to a part of one at the end
 * of the text. White space before the mark does not count.
 */
function certainLength(text: string, forms: readonly CallForm[]): number {
  const marks = new StopStrings(forms.map(({ begin }) => begin));
  const end = marks.find(text) ?? text.length - marks.unfinished(text);
  return text.slice(0, end).trimEnd().length;
}

/**
 * Creates a reader for a model with this vocabulary. It knows the forms whose marks are tokens of the vocabulary, and
 * the first form, whose marks models also spell with several tokens. Unless `isParallel`, only the first call is kept.
 */
export function toolCallReader(
  tools: readonly Tool[],
  vocabulary: SpecialTokens,
  isParallel = true,
): ToolCallReader {
  const schemas = tools.map(({ function: { name, parameters = {} } }) => [name, parameters] as const);
  const forms = CALL_FORMS.filter(
    ({ begin }, i) => i === 0 || vocabulary.specialTokenId(begin) !== undefined,
  );
  return new ToolCallReader(new Map(schemas), forms, isParallel ? Infinity : 1);
}
