// What one editor has told of its documents: their newest versions, where the person typed and looked, what they import.
// Decides what of that a prompt may use. Knows no models.
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import type { Needed } from '../prompt/definitions';
import { Snippets, type Snippet, type SnippetBudget } from '../prompt/snippets';
import type { Decoder } from '../decoder';
import type { LineTokens, PromptTokens } from '../prompt/promptTokens';
import type { PrefetchParts } from './prefetch';
import type { RecentSuggestions } from './recent';
import type { SuggestResult } from './suggest';

export class EditorState {
  /** Each at its newest version; the most recently used comes last. */
  readonly #documents = new Map<string, DocumentSnapshot>();
  readonly #snippets = new Snippets();

  document(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** A document was opened or has changed; `editedAt` is where the user typed. Returns whether it may enter prompts. */
  changed(document: DocumentSnapshot, editedAt?: number): boolean {
    const { uri, ineligible } = document;
    this.#documents.set(uri, document);
    if (ineligible !== undefined) this.#snippets.forget(uri);
    else if (editedAt !== undefined) this.#snippets.edited(document, editedAt);
    return ineligible === undefined;
  }

  closed(uri: string): void {
    this.#snippets.closed(uri);
    this.#documents.delete(uri);
  }

  /** What is remembered of files that are not open is forgotten. */
  forgetClosed(): void {
    this.#snippets.keepPlaces((uri) => this.#documents.has(uri));
  }

  /** The cursor is in an open document that may enter prompts. */
  visited(document: DocumentSnapshot, offset: number): void {
    this.#documents.delete(document.uri);
    this.#documents.set(document.uri, document);
    this.#snippets.visited(document, offset);
  }

  /** What may enter prompts for an open document that needs it. Returns whether it may. */
  define(uri: string, needed: Needed): boolean {
    const document = this.#documents.get(uri);
    if (document === undefined || document.ineligible !== undefined) return false;
    this.#snippets.define(uri, needed);
    return true;
  }

  /** Of other files and places. */
  snippets(context: CompletionContext, budget: SnippetBudget): readonly Snippet[] {
    const newestFirst = [...this.#documents.values()].reverse();
    return this.#snippets.choose(context, newestFirst, budget);
  }
}

// What a session of completions needs from outside: models, lent for each request, and what decodes with them. Types
// only.

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
