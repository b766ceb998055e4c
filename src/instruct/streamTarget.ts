// Writes generated text into the place in a document where it was requested.
import * as vscode from 'vscode';
import { EventEmitter, once } from 'node:events';
import type { WriteEdge, WriteResult } from './deltaWriter';

/**
 * A range of offsets, which moves on after each of its own writes and ends once anything else changes or closes the
 * document. Writes wait while no editor shows the document.
 */
export class StreamTarget implements vscode.Disposable {
  #start: number;
  #length: number;
  /** Text of the write in progress, by which its change is recognised. */
  #writing: string | undefined;
  #isEnded = false;
  readonly #wake = new EventEmitter();
  readonly #listeners: readonly vscode.Disposable[];

  /**
   * Replaces `span`, in offsets, with the first write. Cancels `source` if the target ends. Once `source` is cancelled,
   * writes do not wait for a visible editor.
   */
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
        // A change of language closes and reopens a document.
        if (closed === document && closed.isClosed) this.#end();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#wake.emit('woken')),
      source.token.onCancellationRequested(() => this.#wake.emit('woken')),
    ];
  }

  readonly write = async (text: string, { isFirst, isLast }: WriteEdge): Promise<WriteResult> => {
    const editor = await this.#visibleEditor();
    if (editor === undefined) return 'gone';
    const from = this.document.positionAt(this.#start);
    const range = new vscode.Range(from, this.document.positionAt(this.#start + this.#length));
    const isCursorAtEnd = editor.selection.isEmpty && editor.selection.active.isEqual(range.end);
    this.#writing = text;
    try {
      const edit = (builder: vscode.TextEditorEdit): void => {
        if (range.isEmpty) builder.insert(from, text);
        else builder.replace(range, text);
      };
      if (await editor.edit(edit, { undoStopBefore: isFirst, undoStopAfter: isLast })) {
        if (isCursorAtEnd)
          editor.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
        return 'written';
      }
    } catch {
      // The editor was hidden in the meantime; the next try waits for a visible one.
    } finally {
      this.#writing = undefined;
    }
    return this.#isEnded ? 'gone' : 'refused';
  };

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  #changed(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const writtenChange = changes.find(
      ({ rangeOffset, rangeLength, text }) =>
        rangeOffset === this.#start &&
        rangeLength === this.#length &&
        text.replaceAll('\r\n', '\n') === this.#writing?.replaceAll('\r\n', '\n'),
    );
    if (writtenChange === undefined || changes.length > 1) return void this.#end();
    // VS Code can have adapted the line ends to those of the document.
    this.#start += writtenChange.text.length;
    this.#length = 0;
  }

  #end(): void {
    this.#isEnded = true;
    this.source.cancel();
  }

  async #visibleEditor(): Promise<vscode.TextEditor | undefined> {
    while (!this.#isEnded && !this.document.isClosed) {
      const { activeTextEditor, visibleTextEditors } = vscode.window;
      const editor = [activeTextEditor, ...visibleTextEditors].find(
        (candidate) => candidate?.document === this.document,
      );
      if (editor !== undefined || this.source.token.isCancellationRequested) return editor;
      await once(this.#wake, 'woken');
    }
    return undefined;
  }
}
