// An answer while it is computed: what of it is certain, and for which cursors. Typing what it writes leaves it running;
// anything else ends it. Knows no engine.
import { once } from 'node:events';
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import { withLf } from '../prompt/lineEnds';
import { entryIsComplete } from '../prompt/selectedEntry';
import { RecentSuggestions } from './recent';
import { presented, type SuggestRequest, type Watch } from './suggest';

export class RunningAnswer implements Watch {
  readonly #controller = new AbortController();
  readonly #ended = new AbortController();
  /** What is certain, as if it had been suggested. */
  readonly #known = new RecentSuggestions();
  readonly #listeners = new Set<() => void>();
  /** What the model has written after the cursor. */
  #output = '';

  constructor(
    private readonly document: DocumentSnapshot,
    private readonly context: CompletionContext,
    private readonly trigger: SuggestRequest['trigger'],
  ) {}

  /** For its work. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  read(output: string): void {
    this.#output = output;
  }

  certain(texts: readonly string[], keepProbability?: number): void {
    this.#known.remember(this.context, texts, keepProbability);
    for (const listener of this.#listeners) listener();
  }

  end(): void {
    this.#ended.abort();
  }

  stop(reason: 'cancelled' | 'superseded'): void {
    this.#controller.abort(reason);
  }

  /** Whether it also answers a request there, without a new one to the model: with its entry, if any, in the document. */
  answers(
    { uri, text }: DocumentSnapshot,
    context: CompletionContext,
    trigger: SuggestRequest['trigger'],
  ): boolean {
    if (this.#ended.signal.aborted || this.signal.aborted) return false;
    if (trigger !== this.trigger && this.trigger !== 'explicit') return false;
    const { offset, selected } = context;
    const { start = offset, end = offset, text: entry = '' } = selected ?? {};
    const after = text.slice(end);
    const written = this.#written({ uri, text: text.slice(0, start) + entry + after });
    const own = this.context.selected?.text ?? '';
    // The cursor is where that ends.
    if (!written?.startsWith(own) || after !== this.#around.after) return false;
    const typed = written.slice(own.length);
    const rest = this.#output.slice(typed.length);
    return this.#output.startsWith(typed) && (rest === '' || entryIsComplete(rest, context) !== '');
  }

  /** Whether the document reads as before, but for a beginning of its entry and what the model has written. */
  goesOn(document: DocumentSnapshot): boolean {
    const written = this.#written(document);
    return written !== undefined && ((this.context.selected?.text ?? '') + this.#output).startsWith(written);
  }

  /** Tells what is certain at a cursor that it answers, whenever there is more of it, until it ends or `signal` aborts. */
  async follow(
    context: CompletionContext,
    signal: AbortSignal,
    onPart: (texts: readonly string[], keepProbability: number | undefined) => void,
  ): Promise<void> {
    const tell = (): void => {
      const { texts, keepProbability } = this.#known.match(context) ?? {};
      if (texts) onPart(presented(texts, context), keepProbability);
    };
    this.#listeners.add(tell);
    tell();
    const over = AbortSignal.any([signal, this.#ended.signal]);
    if (!over.aborted) await once(over, 'abort');
    this.#listeners.delete(tell);
  }

  /** What the document has, since then, between what was before and behind the cursor; undefined if those have changed. */
  #written({ uri, text }: Pick<DocumentSnapshot, 'uri' | 'text'>): string | undefined {
    const { before, after } = this.#around;
    const end = text.length - after.length;
    const isSame =
      uri === this.document.uri && end >= before.length && text.startsWith(before) && text.endsWith(after);
    return isSame ? withLf(text.slice(before.length, end)) : undefined;
  }

  /** The document without the selected entry, or what that replaces. */
  get #around() {
    const { offset, selected } = this.context;
    const { text } = this.document;
    return { before: text.slice(0, selected?.start ?? offset), after: text.slice(selected?.end ?? offset) };
  }
}
