// What a session of completions needs from outside: models, lent for each request, and what decodes with them. Types
// only.
import type { Decoder } from '../decoder';
import type { LineTokens } from '../prompt/lineTokens';
import type { PrefetchParts } from './prefetch';
import type { PromptTokens } from '../prompt/promptTokens';
import type { RecentSuggestions } from './recent';
import type { SuggestResult } from './suggest';

/** For one request. */
export interface SessionDecoder extends Decoder {
  /** Whether what is asked leaves the machine. */
  readonly isRemote?: boolean;
  /**
   * Tells the client what its decodes cost, in which file, and how long they waited for a pause in typing. Has no outcome
   * if nothing was meant to be shown.
   */
  record(fileName: string, outcome?: SuggestResult['outcome'], pausedMs?: number): void;
}

export interface CompletionModel {
  /** What this model has recently suggested. */
  readonly recent: RecentSuggestions;
  /** Lines of documents as its tokens. */
  readonly lines: LineTokens;
  /** How long its prompts may be. */
  readonly promptTokens: PromptTokens;
}

/** The models as a client sees them. */
export interface CompletionModels<M extends CompletionModel> {
  /** Loads the model if necessary; `work` gets undefined if it cannot be loaded. */
  use<T>(work: (model: M | undefined) => Promise<T>): Promise<T>;
  /** Shows that the model is working, even between its decodes. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** Somebody types in this language, so a request is likely. */
  wake(languageId: string): void;
  /** Earlier suggestions in a document must not be shown again. */
  forget(uri: string): void;
  /** Whether there is a model that nobody is waiting for. */
  readonly isIdle: boolean;
}

export interface SessionParts<M extends CompletionModel> extends Omit<PrefetchParts, 'isIdle'> {
  readonly models: CompletionModels<M>;
  readonly decoder: (model: M, kind: 'inline' | 'prefetch') => SessionDecoder;
  /** Told whether the battery keeps automatic requests from an answer, where the settings ask for that. */
  readonly onPause?: (isOnPause: boolean) => void;
}
