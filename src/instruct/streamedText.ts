// Streams generated text into the place in a document where it was requested, as one undo step.
import * as vscode from 'vscode';
import { EventEmitter, once } from 'node:events';

/** Maximum number of refused writes in a row before the rest of the text is dropped. */
const MAX_REFUSALS = 20;

/**
 * Text in a range of offsets. It grows by one write at a time, with an undo stop before the first and one after the
 * last; a character is held back until the end, so that there always is a last write. Writes wait while no editor shows
 * the document. The text ends once anything else changes or closes the document.
 */
export class StreamedText implements vscode.Disposable {
  /** Range of the next write. */
  #start: number;
  #length: number;
  #written = '';
  #pending = '';
  /** Text of the write in progress, by which its change is recognised. */
  #writing: string | undefined;
  /** Resolves once the writes so far have ended. */
  #writes = Promise.resolve();
  #isFinishing = false;
  /** Whether nothing more is written, although there can be more text. */
  #isEnded = false;
  readonly #wake = new EventEmitter();
  readonly #listeners: readonly vscode.Disposable[];

  /**
   * Replaces `span`, in offsets, with the first write. Cancels `source` if another change ends the text. Once `source`
   * is cancelled, writes do not wait for a visible editor.
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

  /** Length of all text so far, written or pending. */
  get length(): number {
    return this.#written.length + this.#pending.length;
  }

  push(text: string): void {
    if (this.#isFinishing || this.#isEnded) return;
    this.#pending += text;
    this.#writes = this.#writes.then(() => this.#writePending());
  }

  /** Resolves when everything is written; nothing is written afterwards. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#writes;
    await this.#writePending();
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Writes the pending text, in several tries if the document changes or is hidden in between. */
  async #writePending(): Promise<void> {
    let refusals = 0;
    while (refusals < MAX_REFUSALS) {
      const isLast = this.#isFinishing;
      // The "u" flag matches the last character whole, even one of two UTF-16 units.
      const text = isLast ? this.#pending : this.#pending.replace(/.$/su, '');
      if (text === '') return;
      const editor = await this.#visibleEditor();
      if (editor === undefined) break;
      if (await this.#write(editor, text, isLast)) {
        this.#written += text;
        this.#pending = this.#pending.slice(text.length);
        refusals = 0;
      } else refusals += 1;
    }
    this.#isEnded = true;
    this.#pending = '';
  }

  /** Resolves with false if VS Code refuses the write. */
  async #write(editor: vscode.TextEditor, text: string, isLast: boolean): Promise<boolean> {
    const from = this.document.positionAt(this.#start);
    const range = new vscode.Range(from, this.document.positionAt(this.#start + this.#length));
    const isCursorAtEnd = editor.selection.isEmpty && editor.selection.active.isEqual(range.end);
    const edit = (builder: vscode.TextEditorEdit): void => {
      if (range.isEmpty) builder.insert(from, text);
      else builder.replace(range, text);
    };
    this.#writing = text;
    try {
      const isFirst = this.#written === '';
      if (!(await editor.edit(edit, { undoStopBefore: isFirst, undoStopAfter: isLast }))) return false;
    } catch {
      // The editor was hidden in the meantime; the next try waits for a visible one.
      return false;
    } finally {
      this.#writing = undefined;
    }
    const { active } = editor.selection;
    if (isCursorAtEnd) editor.revealRange(new vscode.Range(active, active));
    return true;
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
