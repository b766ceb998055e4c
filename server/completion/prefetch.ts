// The suggestion after the one that is shown, found while the person reads: the document as it will be once that is
// accepted, asked about like any other. Knows neither who shows it nor what else an engine has to do.
import { completionContext, type CompletionContext, type DocumentSnapshot } from './context';
import { ineligibility } from './eligibility';
import {
  suggest,
  type SuggestResult,
  type SuggestSettings,
  type Suggestion,
  type SuggestTools,
} from './suggest';

/** A document after a suggestion was accepted whole. */
export interface Accepted {
  readonly document: DocumentSnapshot;
  /** Where the suggestion begins. */
  readonly start: number;
  /** At the cursor, which is where it ends. */
  readonly context: CompletionContext;
}

export interface PrefetchRequest {
  readonly accepted: Accepted;
  readonly settings: SuggestSettings;
  readonly signal: AbortSignal;
}

export interface PrefetchTools extends SuggestTools {
  /** Asked after the pause: whether nothing more urgent runs, and the machine may work for later. */
  readonly mayBegin: () => Promise<boolean>;
}

/** Quiet after a suggestion was shown, in which most people have typed on if they mean to. */
export const PREFETCH_PAUSE_MS = 150;

export function acceptedDocument(document: DocumentSnapshot, { text, start, end }: Suggestion): Accepted {
  const after = document.text.slice(0, start) + text + document.text.slice(end);
  const accepted = { ...document, text: after };
  return { document: accepted, start, context: completionContext(accepted, start + text.length) };
}

/** Whether a text is that of the accepted document, but for an end of the suggestion that is not there yet. */
export function leadsTo({ document, start, context }: Accepted, { uri, text }: DocumentSnapshot): boolean {
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

export function isAt(
  { document, context }: Accepted,
  { uri, text }: DocumentSnapshot,
  offset: number,
): boolean {
  return uri === document.uri && offset === context.offset && text === document.text;
}

/** Remembers what it finds, like any suggestion. Skipped for a document that must stay out of prompts. */
export async function prefetch(
  { accepted, settings, signal }: PrefetchRequest,
  { mayBegin, ...tools }: PrefetchTools,
): Promise<SuggestResult['outcome']> {
  const { document, context } = accepted;
  if (ineligibility(document) !== undefined) return 'skipped';
  await tools.settle(PREFETCH_PAUSE_MS, signal);
  if (signal.aborted) return 'cancelled';
  if (!(await mayBegin())) return 'skipped';
  const request = {
    context,
    trigger: 'automatic',
    settings: { ...settings, debounceMs: 0 },
    signal,
  } as const;
  return (await suggest(request, tools)).outcome;
}
