// Computes the next suggestion while the user reads the one that is shown: a request like any other, on the document
// as it will be once that is accepted. One runs at a time. It starts when the model is idle, continues while the user
// types along or accepts, and is cancelled by anything else. The caller makes the request.
import { once } from 'node:events';
import { failureLine } from '../../rules/userError';
import type { ServerSettings } from '../../rules/serverSettings';
import { completionContext, type CompletionContext, type DocumentSnapshot } from '../prompt/context';
import { documentSnapshot } from '../prompt/eligibility';
import type { Settle } from './settle';
import type { Suggestion } from './suggestionRequest';

/** A document after a suggestion was accepted completely. */
interface Accepted {
  readonly document: DocumentSnapshot;
  /** Offset at which the suggestion begins. */
  readonly start: number;
  /** Context of the cursor, which is where the suggestion ends. */
  readonly context: CompletionContext;
}

interface PrefetchParts {
  readonly settle: Settle;
  /** Whether a model is loaded and no request waits for it. */
  readonly isIdle: () => boolean;
  /** Whether the machine is plugged in. */
  readonly pluggedIn: () => Promise<boolean>;
  readonly log: (line: string) => void;
}

interface Run {
  readonly accepted: Accepted;
  readonly controller: AbortController;
  /** Whether its request was made. */
  begun: boolean;
  ended: Promise<void>;
}

/** Quiet time after a suggestion was shown. Most people who mean to type on do so within this time. */
const PREFETCH_PAUSE_MS = 150;

export class Prefetch {
  /** Latest prefetch, kept after its end, so that one without a result is not repeated. */
  #latest: Run | undefined;

  constructor(private readonly parts: PrefetchParts) {}

  /** Replaces a running prefetch, unless that is for the same cursor. `request` makes the request. Never throws. */
  start(
    accepted: Accepted,
    when: ServerSettings['prefetch'],
    request: (signal: AbortSignal) => Promise<void>,
  ): void {
    const { document, context } = accepted;
    if (when === 'never' || this.#isFor(document, context.offset)) return;
    this.stop();
    if (document.ineligible !== undefined) return;
    const run = { accepted, controller: new AbortController(), begun: false, ended: Promise.resolve() };
    this.#latest = run;
    run.ended = this.#run(run, when === 'pluggedIn', request).catch((error: unknown) => {
      this.parts.log(failureLine('prefetch', error));
    });
  }

  stop(): void {
    this.#latest?.controller.abort('superseded');
    this.#latest = undefined;
  }

  /** Stops the prefetch if a document's new version does not lead to the one that it is for. */
  changed(document: DocumentSnapshot): void {
    if (this.#latest && !leadsTo(this.#latest.accepted, document)) this.stop();
  }

  /** Waits for a prefetch for exactly this cursor; resolves immediately if none has begun. */
  async finished(document: DocumentSnapshot, offset: number, signal: AbortSignal): Promise<void> {
    const { begun, ended } = this.#latest ?? {};
    if (!begun || signal.aborted || !this.#isFor(document, offset)) return;
    await Promise.race([ended, once(signal, 'abort')]);
  }

  async #run(run: Run, needsPower: boolean, request: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = run.controller;
    await this.parts.settle(PREFETCH_PAUSE_MS, signal);
    if (signal.aborted || (needsPower && !(await this.parts.pluggedIn()))) return;
    run.begun = this.parts.isIdle();
    if (run.begun) await request(signal);
  }

  #isFor({ uri, text }: DocumentSnapshot, offset: number): boolean {
    const { document, context } = this.#latest?.accepted ?? {};
    return uri === document?.uri && offset === context?.offset && text === document.text;
  }
}

/** Returns the document after a suggestion was accepted: `text` replaces the selected entry and what follows it. */
export function acceptedDocument(
  document: DocumentSnapshot,
  { offset, selected }: CompletionContext,
  { text, replacesAfter }: Suggestion,
): Accepted {
  const start = selected?.start ?? offset;
  const rest = document.text.slice((selected?.end ?? offset) + replacesAfter);
  const after = document.text.slice(0, start) + text + rest;
  const accepted = documentSnapshot({ ...document, text: after });
  return { document: accepted, start, context: completionContext(accepted, start + text.length) };
}

/** Returns whether a version equals the accepted document, except for a missing end of the suggestion. */
function leadsTo({ document, start, context }: Accepted, { uri, text }: DocumentSnapshot): boolean {
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
