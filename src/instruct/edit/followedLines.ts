// Follows lines while the document is edited around them, and cancels the work on them if they are edited themselves or
// the document closes.
import * as vscode from 'vscode';
import { moved, type Hunk } from './hunks';

/** Lines of a document from `from` up to `to`, without `to` itself. */
export interface EditedLines {
  readonly document: vscode.TextDocument;
  readonly from: number;
  readonly to: number;
}

export class FollowedLines implements vscode.Disposable {
  /** The lines as a hunk, which moves along with changes; undefined once they are lost. */
  #hunk: Hunk | undefined;
  readonly #listeners: readonly vscode.Disposable[];

  constructor(
    { document, from, to }: EditedLines,
    private readonly source: vscode.CancellationTokenSource,
  ) {
    this.#hunk = { id: 0, line: from, removed: [], empty: to - from, added: 0 };
    this.#listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) this.#follow(event.contentChanges);
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        // A change of language closes and reopens a document.
        if (closed === document && closed.isClosed) this.#lose();
      }),
    ];
  }

  /** Number of the first line now; undefined once the lines are lost. */
  get from(): number | undefined {
    return this.#hunk?.line;
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  #follow(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    if (this.#hunk === undefined) return;
    [this.#hunk] = changes.reduce(moved, [this.#hunk]);
    if (this.#hunk === undefined) this.#lose();
  }

  #lose(): void {
    this.#hunk = undefined;
    this.source.cancel();
  }
}
