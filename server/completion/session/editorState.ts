// What one editor has told of its documents: their newest versions, where the person typed and looked, what they import.
// Decides what of that a prompt may use. Knows no models.
import type { CompletionContext, DocumentSnapshot } from '../prompt/context';
import type { Needed } from '../prompt/definitions';
import { Snippets, type Snippet, type SnippetBudget } from '../prompt/snippets';

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
