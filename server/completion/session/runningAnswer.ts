// The answer that is being computed: receives partial results from the decode, and passes them to the requests that it
// serves. It goes on while the user types the text that it suggests; any other edit ends it.
import { once } from 'node:events';
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import { withLf } from '../prompt/lineEnds';
import { lengthensEntry } from '../prompt/selectedEntry';
import { AUTO_CLOSED, RecentSuggestions } from './recent';
import type { SuggestionListener, SuggestionRequest } from './suggestionRequest';
import { presented } from './suggestions';

export class RunningAnswer implements SuggestionListener {
  readonly #work = new AbortController();
  readonly #ended = new AbortController();
  /**
   * The certain part: the texts that `onCertain` has received. They are stored like recent suggestions, so that a
   * request at a later cursor can find their rest.
   */
  readonly #certain = new RecentSuggestions();
  /** One function per request that this answer serves; it passes the certain part on. */
  readonly #reports = new Set<() => void>();
  /** Everything that the model has written after the cursor. */
  #output = '';

  constructor(
    private readonly document: DocumentSnapshot,
    private readonly context: CompletionContext,
    private readonly trigger: SuggestionRequest['trigger'],
  ) {}

  /** URI of its document. */
  get uri(): string {
    return this.document.uri;
  }

  /** Aborts when the answer is stopped. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get isStopped(): boolean {
    return this.signal.aborted;
  }

  /** Stops the work, because no request needs it or another one replaces it. */
  stop(reason: 'cancelled' | 'superseded'): void {
    this.#work.abort(reason);
  }

  /** Lets `passPartsOn` resolve: the work is done, stopped or failed. */
  end(): void {
    this.#ended.abort();
  }

  onOutput(output: string): void {
    this.#output = output;
  }

  onCertain(texts: readonly string[], keepProbability?: number): void {
    this.#certain.remember(this.context, texts, keepProbability);
    for (const report of this.#reports) report();
  }

  /**
   * Returns whether this answer also serves a request at `context`, so that no new answer is needed: the document has
   * changed at most by typing the beginning of the answer, and by closers that the editor has inserted. A selected
   * entry counts as typed.
   */
  canServe(
    { uri, text }: DocumentSnapshot,
    context: CompletionContext,
    trigger: SuggestionRequest['trigger'],
  ): boolean {
    if (this.#ended.signal.aborted || this.isStopped) return false;
    // An automatic answer has no alternatives, which an explicit request needs.
    if (trigger !== this.trigger && this.trigger !== 'explicit') return false;
    const { offset, selected } = context;
    const { start = offset, end = offset, opening = '' } = selected ?? {};
    const after = text.slice(end);
    const suffix = this.#surroundings.after;
    if (after !== suffix && withoutClosed(after) !== suffix) return false;
    // Text inserted before the cursor; closers that the editor has added after the cursor are left out.
    const inserted = this.#inserted({ uri, text: text.slice(0, start) + opening + suffix });
    const entry = this.context.selected?.opening ?? '';
    if (!inserted?.startsWith(entry)) return false;
    const typed = inserted.slice(entry.length);
    const rest = this.#output.slice(typed.length);
    return this.#output.startsWith(typed) && !lengthensEntry(rest, context);
  }

  /**
   * Returns whether the document has changed at most by typing the beginning of the selected entry and the output, and
   * by closers that the editor has inserted after it.
   */
  isTypedIn(document: DocumentSnapshot): boolean {
    const inserted = this.#inserted(document);
    const answer = (this.context.selected?.opening ?? '') + this.#output;
    if (inserted === undefined) return false;
    let typed = 0;
    while (typed < inserted.length && answer[typed] === inserted[typed]) typed += 1;
    return inserted === '' || (typed > 0 && withoutClosed(inserted.slice(typed)) === '');
  }

  /**
   * Calls `onPart` with the rest of the certain part after the cursor of `context`, now and whenever it grows. Resolves
   * when the answer ends or `signal` aborts.
   */
  async passPartsOn(
    context: CompletionContext,
    signal: AbortSignal,
    onPart: (texts: readonly string[], keepProbability: number | undefined) => void,
  ): Promise<void> {
    const report = (): void => {
      const { texts, keepProbability } = this.#certain.match(context) ?? {};
      if (texts) onPart(presented(texts, context), keepProbability);
    };
    this.#reports.add(report);
    report();
    const stopped = AbortSignal.any([signal, this.#ended.signal]);
    if (!stopped.aborted) await once(stopped, 'abort');
    this.#reports.delete(report);
  }

  /**
   * Returns the text that a later version of the document has at the cursor, in place of the selected entry if there is
   * one; undefined if the version differs elsewhere.
   */
  #inserted({ uri, text }: { readonly uri: string; readonly text: string }): string | undefined {
    const { before, after } = this.#surroundings;
    const end = text.length - after.length;
    const isSame =
      uri === this.document.uri && end >= before.length && text.startsWith(before) && text.endsWith(after);
    return isSame ? withLf(text.slice(before.length, end)) : undefined;
  }

  /** The document before and after the cursor, without the range that the selected entry replaces. */
  get #surroundings() {
    const { offset, selected } = this.context;
    const { text } = this.document;
    return { before: text.slice(0, selected?.start ?? offset), after: text.slice(selected?.end ?? offset) };
  }
}

/** Removes closers that an editor can have inserted from the beginning of the text after the cursor. */
function withoutClosed(text: string): string {
  return text.replace(AUTO_CLOSED, '');
}
