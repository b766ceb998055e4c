// The open documents of one client, and the snippets of them that prompts can quote.
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import { fileOf, type RelatedCode } from '../prompt/definitions';
import { Snippets, type Snippet, type SnippetBudget } from '../prompt/snippets';

export class SessionDocuments {
  /** Newest version of each document; the most recently used comes last. */
  readonly #documents = new Map<string, DocumentSnapshot>();
  readonly #snippets = new Snippets();

  get(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** Returns the document unless it must stay out of prompts. */
  eligible(uri: string): DocumentSnapshot | undefined {
    const document = this.#documents.get(uri);
    return document?.ineligible === undefined ? document : undefined;
  }

  /**
   * Stores a new version, and returns whether it may enter prompts; `editedAt` is the offset at which the user typed.
   */
  changed(document: DocumentSnapshot, editedAt: number | undefined): boolean {
    const isEligible = document.ineligible === undefined;
    this.#documents.set(document.uri, document);
    if (!isEligible) this.#snippets.forget(document.uri);
    else if (editedAt !== undefined) this.#snippets.edited(document, editedAt);
    return isEligible;
  }

  /** Records that the cursor is at `offset`. Call it only for documents that may enter prompts. */
  visited(document: DocumentSnapshot, offset: number): void {
    this.#documents.delete(document.uri);
    this.#documents.set(document.uri, document);
    this.#snippets.visited(document, offset);
  }

  closed(uri: string): void {
    this.#snippets.closed(uri);
    this.#documents.delete(uri);
  }

  /** Forgets places and definitions in a deleted file or notebook, or in the files of a deleted folder. */
  deleted(uri: string): void {
    const path = pathOf(uri);
    const isKept = (candidate: string): boolean => !`${pathOf(candidate)}/`.startsWith(`${path}/`);
    this.#snippets.keepPlaces(isKept);
    this.#snippets.keepDefinitions(isKept);
  }

  /** Forgets places in files that are no longer open. */
  forgetClosed(): void {
    this.#snippets.keepPlaces((uri) => this.#documents.has(uri));
  }

  /** Replaces the definitions and notebook cells that prompts for a document can quote. */
  define(uri: string, related: RelatedCode): void {
    this.#snippets.define(uri, related);
  }

  /** Returns snippets of other documents for a prompt, the most helpful last. */
  snippets(context: CompletionContext, budget: SnippetBudget): readonly Snippet[] {
    return this.#snippets.choose(context, [...this.#documents.values()].reverse(), budget);
  }
}

/**
 * Returns a URI without its scheme, which differs between a notebook's file and its cells, and without a cell's
 * fragment.
 */
function pathOf(uri: string): string {
  return fileOf(uri).replace(/^[\w+.-]+:(?:\/\/)?/, '');
}
