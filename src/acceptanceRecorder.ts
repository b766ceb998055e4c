// Joins the acceptance counters to VS Code: follows documents, looks again after 30 s, stores the counts locally.
// The counting itself is acceptance.ts.
import * as vscode from 'vscode';
import { Acceptance, type AcceptanceCounts, type Insertion } from './acceptance';
import { movedSpan, type TextSpan } from './textSpan';

const STORED = 'flashline.acceptance';
const KEPT_AFTER_MS = 30_000;

interface Watched {
  readonly uri: string;
  readonly text: string;
  span: TextSpan;
}

export class AcceptanceRecorder implements vscode.Disposable {
  readonly #acceptance: Acceptance;
  readonly #watched = new Map<Watched, NodeJS.Timeout>();

  constructor(private readonly memory: vscode.Memento) {
    this.#acceptance = new Acceptance(memory.get<Partial<AcceptanceCounts>>(STORED));
  }

  get counts(): AcceptanceCounts {
    return this.#acceptance.counts;
  }

  /** The id of what is offered, for accept(). */
  offer(
    document: vscode.TextDocument,
    position: vscode.Position,
    items: readonly vscode.InlineCompletionItem[],
  ): number {
    const remaining = items.map(({ insertText, range }) => {
      const text = typeof insertText === 'string' ? insertText : insertText.value;
      return text.slice(range === undefined ? 0 : Math.max(0, position.character - range.start.character));
    });
    return this.#acceptance.offer(document.uri.toString(), document.offsetAt(position), remaining);
  }

  accept(id: number): void {
    this.#watch(this.#acceptance.accept(id));
    this.#store();
  }

  change({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const uri = document.uri.toString();
    for (const watched of this.#watched.keys())
      if (watched.uri === uri) watched.span = movedSpan(watched.span, contentChanges);
    const part = this.#acceptance.change(uri, contentChanges);
    if (part === undefined) return;
    this.#watch(part);
    this.#store();
  }

  /** The last chance to look at what was accepted in it. */
  close(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const watched of [...this.#watched.keys()]) if (watched.uri === uri) this.#review(watched, document);
  }

  dispose(): void {
    for (const timer of this.#watched.values()) clearTimeout(timer);
    this.#watched.clear();
  }

  #watch(insertion: Insertion | undefined): void {
    if (insertion === undefined) return;
    const { uri, text, offset } = insertion;
    const watched: Watched = { uri, text, span: { start: offset, end: offset + text.length } };
    const look = (): void => {
      this.#review(
        watched,
        vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri),
      );
    };
    this.#watched.set(watched, setTimeout(look, KEPT_AFTER_MS));
  }

  #review(watched: Watched, document: vscode.TextDocument | undefined): void {
    clearTimeout(this.#watched.get(watched));
    this.#watched.delete(watched);
    if (document === undefined) return;
    const { start, end } = watched.span;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    this.#acceptance.review(watched.text, document.getText(range));
    this.#store();
  }

  #store(): void {
    void this.memory.update(STORED, this.#acceptance.counts);
  }
}
