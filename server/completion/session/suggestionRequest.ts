// A request for suggestions at a cursor, and its result. Cancellation and empty results are outcomes, not errors.
import type { ServerSettings } from '../../rules/serverSettings';
import type { Decoder } from '../decoder';
import type { CompletionContext } from '../prompt/context';
import type { Snippet, SnippetBudget } from '../prompt/snippets';
import type { RecentSuggestions } from './recent';
import type { Settle } from './settle';

export interface SuggestionRequest {
  readonly context: CompletionContext;
  /** explicit: the user asked for suggestions, and gets alternatives too. */
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: ServerSettings;
  readonly signal: AbortSignal;
}

/** The model and the state that a request uses. */
export interface SuggestionResources {
  readonly decoder: Decoder;
  readonly recent: RecentSuggestions;
  readonly settle: Settle;
  /** Maximum length of the prompt, in tokens; USUAL_PROMPT_TOKENS by default. */
  readonly promptTokens?: number;
  /** Returns snippets of other documents within the budget. */
  readonly snippets?: (budget: SnippetBudget) => readonly Snippet[];
  readonly listener?: SuggestionListener;
  /** Returns whether the answer has taken so long that the complete words of an unfinished first line are shown. */
  readonly isLate?: () => boolean;
}

/** Receives a suggestion while it is computed. */
export interface SuggestionListener {
  /** Receives the whole output after the cursor so far. */
  onOutput(output: string): void;
  /** Receives texts to show, or their beginnings, the most probable first. Their line ends are \n. */
  onCertain(texts: readonly string[], keepProbability?: number): void;
}

export interface SuggestResult {
  /**
   * - empty: the model wrote nothing, or only white space
   * - filtered: the filters left nothing of its output
   * - hidden: the text is unlikely to be kept (see the setting `hideBelow`) or a filler, or the model did not write
   *   the selected entry
   * - skipped: the model was not used, since no good suggestion is possible at this cursor
   */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'hidden' | 'cancelled' | 'skipped';
  /**
   * One text for an automatic request, up to three for an explicit one; empty unless shown. Line ends are the
   * document's. If an entry of the IntelliSense list is selected, a text begins with it, and replaces its range.
   */
  readonly texts: readonly string[];
  /** Probability that the first text is kept, 0 to 1; undefined if it was not judged. */
  readonly keepProbability?: number | undefined;
  /** Name of the step or rule that left no text, for benchmarks. */
  readonly cause?: string | undefined;
}

/** A text to show, in the form that a client receives. */
export interface Suggestion {
  readonly text: string;
  /** Number of characters that the text replaces after the cursor or, if an entry is selected, after its range. */
  readonly replacesAfter: number;
  /** Probability that the text is kept, 0 to 1; undefined if it was not judged. */
  readonly keepProbability?: number | undefined;
}
