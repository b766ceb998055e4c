// Prefetch: prepares the request that the user is likely to make next. While a suggestion is shown, it computes the
// next suggestion, for the document as it will be once the shown one is accepted; at a resting cursor, it prefills the
// prompt. The caller makes the request. One prefetch runs at a time. It starts when the model is idle, continues while
// the user types the suggested text or accepts it, and stops otherwise.
import { once } from 'node:events';
import { failureLine } from '../../rules/failure';
import type { ServerSettings } from '../../rules/serverSettings';
import { completionContext, type CompletionContext, type DocumentSnapshot } from '../prompt/context';
import { documentSnapshot, whyIneligible } from '../prompt/eligibility';
import type { PowerPolicy } from './powerPolicy';
import type { Settle } from './settle';
import type { Suggestion } from './suggestionRequest';

/** The document and the cursor of the request that is likely to come next. */
interface ExpectedCursor {
  readonly document: DocumentSnapshot;
  /** Offset at which the accepted suggestion begins; that of the cursor if nothing is accepted. */
  readonly start: number;
  /** Context of the cursor, which is where the suggestion ends. */
  readonly context: CompletionContext;
}

interface PrefetchParts {
  readonly settle: Settle;
  /** Whether a model is loaded and no request waits for it. */
  readonly isIdle: () => boolean;
  readonly power: PowerPolicy;
  readonly log: (line: string) => void;
}

interface Run {
  readonly expected: ExpectedCursor;
  readonly controller: AbortController;
  /** Whether the request was made. */
  hasBegun: boolean;
  ended: Promise<void>;
}

/**
 * Quiet time (ms) after a suggestion was shown or the cursor came to rest. Users who mean to type on mostly do so
 * within this time.
 */
const PREFETCH_PAUSE_MS = 150;

export class Prefetch {
  /** Latest prefetch. It is kept after its end, so that a prefetch without a result is not repeated. */
  #latest: Run | undefined;

  constructor(private readonly parts: PrefetchParts) {}

  /**
   * Starts a prefetch in place of the running one, unless that is for the same cursor. `request` makes the request; its
   * errors are logged.
   */
  start(
    expected: ExpectedCursor,
    settings: ServerSettings,
    request: (signal: AbortSignal) => Promise<void>,
  ): void {
    const { document, context } = expected;
    if (settings.prefetch === 'never' || this.#isFor(document, context.offset)) return;
    this.stop();
    if (whyIneligible(document) !== undefined) return;
    const run = { expected, controller: new AbortController(), hasBegun: false, ended: Promise.resolve() };
    this.#latest = run;
    run.ended = this.#run(run, request).catch((error: unknown) => {
      this.parts.log(failureLine('prefetch', error));
    });
  }

  stop(): void {
    this.#latest?.controller.abort('superseded');
    this.#latest = undefined;
  }

  /** Stops the prefetch if the new version of a document is not on the way to the expected one. */
  changed(document: DocumentSnapshot): void {
    if (this.#latest && !leadsTo(this.#latest.expected, document)) this.stop();
  }

  /** Stops the prefetch for a closed document. */
  closed(uri: string): void {
    if (this.#latest?.expected.document.uri === uri) this.stop();
  }

  /** Waits for a prefetch for exactly this cursor; resolves immediately if none has begun. */
  async waitFor(document: DocumentSnapshot, offset: number, signal: AbortSignal): Promise<void> {
    const { hasBegun, ended } = this.#latest ?? {};
    if (!hasBegun || signal.aborted || !this.#isFor(document, offset)) return;
    await Promise.race([ended, once(signal, 'abort')]);
  }

  async #run(run: Run, request: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = run.controller;
    await this.parts.settle(PREFETCH_PAUSE_MS, signal);
    if (signal.aborted || !(await this.parts.power.mayPrefetch())) return;
    run.hasBegun = this.parts.isIdle();
    if (run.hasBegun) await request(signal);
  }

  #isFor({ uri, text }: DocumentSnapshot, offset: number): boolean {
    const { document, context } = this.#latest?.expected ?? {};
    return uri === document?.uri && offset === context?.offset && text === document.text;
  }
}

/**
 * Returns the document and the cursor after a suggestion was accepted: `text` replaces the range of the selected entry,
 * and `replacesAfter` characters after that range or, without an entry, after the cursor.
 */
export function acceptedCursor(
  document: DocumentSnapshot,
  { offset, selected }: CompletionContext,
  { text, replacesAfter }: Suggestion,
  editorUnit?: string,
): ExpectedCursor {
  const start = selected?.start ?? offset;
  const rest = document.text.slice((selected?.end ?? offset) + replacesAfter);
  const after = document.text.slice(0, start) + text + rest;
  const accepted = documentSnapshot({ ...document, text: after });
  // After an attribute without a value, the cursor is between its quotes.
  const afterCursor = selected ? selected.text.length - selected.opening.length : 0;
  const cursor = start + text.length - afterCursor;
  return { document: accepted, start, context: completionContext(accepted, cursor, { editorUnit }) };
}

/** Returns whether a version equals the expected document, except that the end of the suggestion can be missing. */
function leadsTo({ document, start, context }: ExpectedCursor, { uri, text }: DocumentSnapshot): boolean {
  const { offset } = context;
  const cursor = text.length - (document.text.length - offset);
  return (
    uri === document.uri &&
    cursor >= start &&
    cursor <= offset &&
    text.slice(cursor) === document.text.slice(offset) &&
    document.text.startsWith(text.slice(0, cursor))
  );
}
