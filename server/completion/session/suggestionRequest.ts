// A request for suggestions at a cursor, its parts and its result. Expected endings are outcomes, never errors.
import type { ServerSettings } from '../../rules/serverSettings';
import type { Decoder } from '../decoder';
import type { CompletionContext } from '../prompt/context';
import type { Snippet, SnippetBudget } from '../prompt/snippets';
import type { RecentSuggestions } from './recent';
import type { Settle } from './settle';

export interface SuggestionRequest {
  readonly context: CompletionContext;
  /** An explicit request is a manual one: the user asked for alternatives. */
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: SuggestionSettings;
  readonly signal: AbortSignal;
}

/** Settings of one suggestion. Without `alternatives`, only the most probable text is offered. */
export type SuggestionSettings = Pick<ServerSettings, 'maxSuggestionTokens' | 'multiline' | 'debounceMs'> &
  Partial<Pick<ServerSettings, 'alternatives' | 'hideBelow'>>;

/** The model and the state that a request uses. */
export interface SuggestTools {
  readonly decoder: Decoder;
  readonly recent: RecentSuggestions;
  readonly settle: Settle;
  /** Maximum length of the prompt, in tokens; USUAL_PROMPT_TOKENS by default. */
  readonly promptTokens?: number;
  /** Returns snippets of other documents within the budget. */
  readonly snippets?: (budget: SnippetBudget) => readonly Snippet[];
  readonly listener?: SuggestionListener;
  /** Whether an answer takes so long that the words of an unfinished line are worth showing. */
  readonly isLate?: () => boolean;
}

/** Receives a suggestion while it is computed. */
export interface SuggestionListener {
  /** Receives everything that the model has written after the cursor so far. */
  onOutput(output: string): void;
  /** Receives texts that will be shown, or their beginnings, the most probable first. Line ends are \n. */
  onCertain(texts: readonly string[], keepProbability?: number): void;
}

export interface SuggestResult {
  /**
   * - empty: the model wrote nothing
   * - filtered: the filters left nothing of its output
   * - hidden: too unlikely to be kept, see the setting `hideBelow`
   * - skipped: the model was not used, since nothing good can come at such a cursor
   */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'hidden' | 'cancelled' | 'skipped';
  /**
   * One text for an automatic request, up to three for an explicit one; empty unless shown. Line ends are the
   * document's. A text also replaces the selected entry of the IntelliSense list, if there is one.
   */
  readonly texts: readonly string[];
  /** Probability that the first text is kept, 0 to 1; undefined if it was not judged. */
  readonly keepProbability?: number | undefined;
  /** Name of the step or rule that left no text, for benchmarks. */
  readonly cause?: string | undefined;
}

/** A text to show, as a client gets it. */
export interface Suggestion {
  readonly text: string;
  /** Number of characters after the cursor that the text replaces. */
  readonly replacesAfter: number;
  /** Probability that the text is kept, 0 to 1; undefined if it was not judged. */
  readonly keepProbability?: number | undefined;
}
