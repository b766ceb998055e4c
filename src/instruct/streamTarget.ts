// The place in a document where generated text goes.
import * as vscode from 'vscode';
import { EventEmitter, once } from 'node:events';
import type { WriteEdge, WriteResult } from './deltaWriter';

/**
 * The place in a document where generated text goes: follows its own writes, and ends as soon as anything else changes
 * or closes the document. While the editor is hidden, it waits.
 */
export class StreamTarget implements vscode.Disposable {
  #start: number;
  #length: number;
  #writing: string | undefined;
  #ended = false;
  readonly #wake = new EventEmitter();
  readonly #listeners: readonly vscode.Disposable[];

  /** First replaces `span`. Cancels `source` when the document is lost; once cancelled, waits for no editor. */
  constructor(
    private readonly document: vscode.TextDocument,
    span: { readonly start: number; readonly end: number },
    private readonly source: vscode.CancellationTokenSource,
  ) {
    this.#start = span.start;
    this.#length = span.end - span.start;
    this.#listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0)
          this.#changed(event.contentChanges);
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        // A change of the language closes and opens it.
        if (closed === document && closed.isClosed) this.#end();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#wake.emit('woken')),
      source.token.onCancellationRequested(() => this.#wake.emit('woken')),
    ];
  }

  readonly write = async (text: string, { first, last }: WriteEdge): Promise<WriteResult> => {
    const editor = await this.#visibleEditor();
    if (editor === undefined) return 'gone';
    const from = this.document.positionAt(this.#start);
    const range = new vscode.Range(from, this.document.positionAt(this.#start + this.#length));
    const follows = editor.selection.isEmpty && editor.selection.active.isEqual(range.end);
    this.#writing = text;
    try {
      const edit = (builder: vscode.TextEditorEdit): void => {
        if (range.isEmpty) builder.insert(from, text);
        else builder.replace(range, text);
      };
      if (await editor.edit(edit, { undoStopBefore: first, undoStopAfter: last })) {
        if (follows) editor.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
        return 'written';
      }
    } catch {
      // The editor was hidden in the meantime; the next try waits for another one.
    } finally {
      this.#writing = undefined;
    }
    return this.#ended ? 'gone' : 'refused';
  };

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  #changed(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const own = changes.find(
      ({ rangeOffset, rangeLength, text }) =>
        rangeOffset === this.#start &&
        rangeLength === this.#length &&
        text.replaceAll('\r\n', '\n') === this.#writing?.replaceAll('\r\n', '\n'),
    );
    if (own === undefined || changes.length > 1) return void this.#end();
    // Line ends may have been adapted to those of the document.
    this.#start += own.text.length;
    this.#length = 0;
  }

  #end(): void {
    this.#ended = true;
    this.source.cancel();
  }

  async #visibleEditor(): Promise<vscode.TextEditor | undefined> {
    while (!this.#ended && !this.document.isClosed) {
      const { activeTextEditor, visibleTextEditors } = vscode.window;
      const editor = [activeTextEditor, ...visibleTextEditors].find(
        (each) => each?.document === this.document,
      );
      if (editor !== undefined || this.source.token.isCancellationRequested) return editor;
      await once(this.#wake, 'woken');
    }
    return undefined;
  }
}
