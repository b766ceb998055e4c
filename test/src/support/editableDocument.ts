// A document whose changes VS Code would report: one event for each, and never more than one document for a URI.
import type { TextDocument } from 'vscode';
import { documents, EndOfLine, Range, Uri, workspace, type Position, type TextEdit } from './fakeVscode';

export class EditableDocument {
  readonly uri: Uri;
  readonly eol = EndOfLine.LF;
  readonly isClosed = false;
  readonly isUntitled = false;

  constructor(
    path: string,
    private text: string,
  ) {
    this.uri = Uri.file(path);
    workspace.textDocuments = [...workspace.textDocuments, this];
    documents.opened.fire(this);
  }

  /** The document with the type that the extension expects. */
  get document(): TextDocument {
    return this as unknown as TextDocument;
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  getText(): string {
    return this.text;
  }

  lineAt(line: number): { readonly text: string; readonly range: Range } {
    const { [line]: text = '' } = this.#lines;
    return { text, range: new Range(line, 0, line, text.length) };
  }

  /** Applies edits that are sorted by position, the last one first, so that the ranges of the others stay valid. */
  apply(edits: readonly TextEdit[]): void {
    const contentChanges = edits.toReversed().map(({ range, newText: text }) => ({ range, text }));
    for (const { range, text } of contentChanges)
      this.text =
        this.text.slice(0, this.#offset(range.start)) + text + this.text.slice(this.#offset(range.end));
    documents.changed.fire({ document: this, contentChanges });
  }

  /** Reports that the document will be saved, and applies the edits of the listeners. */
  async save(reason: number): Promise<void> {
    const waiting: Promise<readonly TextEdit[]>[] = [];
    const waitUntil = (edits: Promise<readonly TextEdit[]>): void => void waiting.push(edits);
    documents.willBeSaved.fire({ document: this, reason, waitUntil });
    for (const edits of await Promise.all(waiting)) this.apply(edits);
  }

  get #lines(): readonly string[] {
    return this.text.split('\n');
  }

  #offset({ line, character }: Position): number {
    return this.#lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, character);
  }
}
