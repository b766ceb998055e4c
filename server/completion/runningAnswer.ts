// An answer while it is computed: what of it is certain, and for which cursors. Typing what it writes leaves it running;
// anything else ends it. Knows no engine.
import { once } from 'node:events';
import type { CompletionContext, DocumentSnapshot } from './context';
import { filtered } from './filters';
import type { KeepSigns } from './keepProbability';
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

  certain(texts: readonly string[], signs?: KeepSigns): void {
    this.#known.remember(this.context, texts, signs);
    for (const listener of this.#listeners) listener();
  }

  end(): void {
    this.#ended.abort();
  }

  stop(reason: 'cancelled' | 'superseded'): void {
    this.#controller.abort(reason);
  }

  /** Whether it also answers a request there, without a new one to the model. */
  answers(
    document: DocumentSnapshot,
    context: CompletionContext,
    trigger: SuggestRequest['trigger'],
  ): boolean {
    if (this.#ended.signal.aborted || this.signal.aborted || !this.goesOn(document)) return false;
    const typed = this.#typed(document) ?? '';
    const sameItem = JSON.stringify(context.selected) === JSON.stringify(this.context.selected);
    const here = context.offset === this.context.offset + typed.length + lineEnds(typed, context);
    return here && sameItem && (trigger === this.trigger || this.trigger === 'explicit');
  }

  /** Whether the document reads as before, but for a beginning of what the model has written. */
  goesOn(document: DocumentSnapshot): boolean {
    const typed = this.#typed(document);
    return typed !== undefined && this.#output.startsWith(typed);
  }

  /** Tells what is certain at a cursor that it answers, whenever there is more of it, until it ends or `signal` aborts. */
  async follow(
    context: CompletionContext,
    signal: AbortSignal,
    onPart: (texts: readonly string[], signs: KeepSigns | undefined) => void,
  ): Promise<void> {
    const tell = (): void => {
      const { texts = [], sameSuffix = true, signs } = this.#known.match(context) ?? {};
      const fitting = sameSuffix ? texts : texts.map((text) => filtered(text, context));
      if (texts.length > 0) onPart(presented(fitting, context), signs);
    };
    this.#listeners.add(tell);
    tell();
    const over = AbortSignal.any([signal, this.#ended.signal]);
    if (!over.aborted) await once(over, 'abort');
    this.#listeners.delete(tell);
  }

  /** What was typed at the cursor since then; undefined if the document has changed in any other way. */
  #typed({ uri, text }: DocumentSnapshot): string | undefined {
    const { offset } = this.context;
    const before = this.document.text.slice(0, offset);
    const after = this.document.text.slice(offset);
    const end = text.length - after.length;
    const isSame =
      uri === this.document.uri && end >= offset && text.startsWith(before) && text.endsWith(after);
    return isSame ? text.slice(offset, end).replaceAll('\r\n', '\n') : undefined;
  }
}

/** Characters that line ends of the document have and those of a text have not. */
function lineEnds(text: string, { eol }: CompletionContext): number {
  return eol === '\n' ? 0 : text.split('\n').length - 1;
}
