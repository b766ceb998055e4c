// Reads the function calls out of what a model writes: between marks, as JSON (Qwen, Hermes), as XML (Qwen3-Coder) or in
// Gemma 4's own notation, behind a mark up to the end (Mistral, Llama), or as JSON and nothing else (Llama, Mistral).
// Takes the text piece by piece. What turns out not to be a call is text like any other.
import { StopStrings } from '../../rules/stopStrings';
import type { SpecialTokens } from '../prompt/specialTokens';
import {
  CALL_FORMS,
  jsonCalls,
  type CallForm,
  type Json,
  type ToolParameters,
  type WireToolCall,
} from './toolCallForms';

/** What is read of a function that may be called. */
interface CallableTool {
  readonly function: { readonly name: string; readonly parameters?: Json | undefined };
}

/** The beginning of a call that has no marks, once there is enough to tell. */
const BARE = /^\s*\[?\s*\{\s*"(name|type|function)"/;
const ENOUGH_TO_TELL = 24;

/**
 * `isParallel` false: calls after the first are left out. Marks that are no token of the vocabulary are text, but for
 * the first ones, which a model may spell.
 */
export function toolCallReader(
  tools: readonly CallableTool[],
  vocabulary: SpecialTokens,
  isParallel = true,
): ToolCallReader {
  const parameters = tools.map(({ function: { name, parameters = {} } }) => [name, parameters] as const);
  const forms = CALL_FORMS.filter(
    ({ begin }, i) => i === 0 || vocabulary.specialTokenId(begin) !== undefined,
  );
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
    private readonly forms: readonly CallForm[],
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
function markedPart(text: string, forms: readonly CallForm[], isOver: boolean) {
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
function certainLength(text: string, forms: readonly CallForm[]): number {
  const marks = new StopStrings(forms.map(({ begin }) => begin));
  const end = marks.find(text) ?? text.length - marks.unfinished(text);
  return text.slice(0, end).trimEnd().length;
}
