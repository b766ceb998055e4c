// The open documents of one client, and the code in these and in other files that prompts can quote.
import { CodeWindows } from '../prompt/codeWindows';
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import { fileOf, outlined, type RelatedCode } from '../prompt/definitions';
import { whyIneligible } from '../prompt/eligibility';
import { RecentPlaces } from '../prompt/recentPlaces';
import { chooseSnippets, type Snippet, type SnippetBudget } from '../prompt/snippets';

export class SessionDocuments {
  /** Newest version of each document; the most recently used comes last. */
  readonly #documents = new Map<string, DocumentSnapshot>();
  readonly #windows = new CodeWindows();
  readonly #places = new RecentPlaces();
  /** Related code by document, with outlined definitions. */
  readonly #related = new Map<string, RelatedCode>();

  get(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** Returns the document unless it must stay out of prompts. */
  eligible(uri: string): DocumentSnapshot | undefined {
    const document = this.#documents.get(uri);
    return document && whyIneligible(document) === undefined ? document : undefined;
  }

  /**
   * Stores a new version, and returns whether it may enter prompts; `editedAt` is the offset at which the user typed.
   */
  changed(document: DocumentSnapshot, editedAt: number | undefined): boolean {
    const isEligible = whyIneligible(document) === undefined;
    if (!isEligible) this.#forget(document.uri);
    else if (editedAt !== undefined) this.#places.edited(document, editedAt);
    this.#documents.set(document.uri, document);
    return isEligible;
  }

  /** Records that the cursor is at `offset`. Call it only for documents that may enter prompts. */
  visited(document: DocumentSnapshot, offset: number): void {
    this.#documents.delete(document.uri);
    this.#documents.set(document.uri, document);
    this.#places.visited(document, offset);
  }

  /** Forgets a closed document, except for places that were left in it. */
  closed(uri: string): void {
    this.#places.closed(uri);
    this.#related.delete(uri);
    this.#documents.delete(uri);
  }

  /** Forgets places and definitions in a deleted file or notebook, or in the files of a deleted folder. */
  deleted(uri: string): void {
    const path = pathOf(uri);
    const isKept = (candidate: string): boolean => !`${pathOf(candidate)}/`.startsWith(`${path}/`);
    this.#places.keep(isKept);
    for (const [importer, { definitions, above }] of this.#related)
      this.#related.set(importer, { definitions: definitions.filter((file) => isKept(file.uri)), above });
  }

  /** Forgets places in files that are no longer open. */
  forgetClosed(): void {
    this.#places.keep((uri) => this.#documents.has(uri));
  }

  /** Replaces the definitions and notebook cells that prompts for a document can quote. */
  define(uri: string, { definitions, above }: RelatedCode): void {
    this.#related.set(uri, { definitions: definitions.map(outlined), above });
  }

  /** Returns snippets of other documents for a prompt, the most helpful last. */
  snippets(context: CompletionContext, budget: SnippetBudget): readonly Snippet[] {
    const sources = {
      documents: [...this.#documents.values()].reverse(),
      windows: this.#windows,
      places: this.#places,
      related: this.#related.get(context.uri),
    };
    return chooseSnippets(context, sources, budget);
  }

  /** Forgets the places and related code of a document that may no longer enter prompts. */
  #forget(uri: string): void {
    this.#places.closed(uri);
    this.#places.keep((placeUri) => placeUri !== uri);
    this.#related.delete(uri);
  }
}

/**
 * Returns a URI without its scheme, which differs between a notebook's file and its cells, and without a cell's
 * fragment.
 */
function pathOf(uri: string): string {
  return fileOf(uri).replace(/^[\w+.-]+:(?:\/\/)?/, '');
}
