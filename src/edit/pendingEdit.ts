// The proposed edit that waits for a decision: its hunks, and the document that has their text. The document holds the
// new lines from the start, so that it is valid code whatever happens to it: undone, saved, formatted or closed.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { decision, edited, joined, moved, proposed, type Hunk, type LineEdit } from './hunks';

export class PendingEdit implements vscode.Disposable {
  #document: vscode.TextDocument | undefined;
  #hunks: readonly Hunk[] = [];
  /** By the text of the document: undo and redo come back to it. */
  readonly #known = new Map<string, readonly Hunk[]>();
  #writing = false;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listeners: readonly vscode.Disposable[] = [
    this.#changed,
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === this.#document && event.contentChanges.length > 0) this.#edited(event);
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document === this.#document && event.reason === vscode.TextDocumentSaveReason.Manual)
        event.waitUntil(Promise.resolve(this.#acceptRest(event.document)));
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document === this.#document) this.#closed(document);
    }),
  ];

  /** Fires when hunks come, go or move. */
  readonly onDidChange = this.#changed.event;

  /** Undefined while nothing waits. */
  get document(): vscode.TextDocument | undefined {
    return this.#hunks.length > 0 ? this.#document : undefined;
  }

  get hunks(): readonly Hunk[] {
    return this.#hunks;
  }

  /** Proposes `after` for the lines from `from` up to `to`. False if VS Code refuses the edit. */
  async propose(
    document: vscode.TextDocument,
    from: number,
    to: number,
    after: readonly string[],
  ): Promise<boolean> {
    this.#document = document;
    this.#known.clear();
    const { lines, hunks } = proposed(linesOf(document).slice(from, to), after, from);
    return hunks.length === 0 || (await this.#write(document, [{ from, to, lines }], hunks));
  }

  /** Accepts or rejects `chosen`, as one step to undo. False if VS Code refuses the edit. */
  async decide(chosen: readonly Hunk[], isAccepted: boolean): Promise<boolean> {
    const { document } = this;
    if (document === undefined) return true;
    const own = this.#hunks.filter((hunk) => chosen.includes(hunk));
    const edits = joined(own.map((hunk) => decision(hunk, isAccepted)));
    const rest = this.#hunks
      .filter((hunk) => !own.includes(hunk))
      .map((hunk) => ({ ...hunk, line: hunk.line + growthAbove(hunk.line, edits) }));
    return await this.#write(document, edits, rest);
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  async #write(
    document: vscode.TextDocument,
    edits: readonly LineEdit[],
    next: readonly Hunk[],
  ): Promise<boolean> {
    const textEdits = this.#expect(document, edits, next);
    if (textEdits.length === 0) {
      this.#set(next);
      return true;
    }
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, textEdits);
    this.#writing = true;
    try {
      return await vscode.workspace.applyEdit(edit);
    } finally {
      this.#writing = false;
    }
  }

  /** Remembers the hunks of the text as it is and as `edits` will make it. */
  #expect(
    document: vscode.TextDocument,
    edits: readonly LineEdit[],
    next: readonly Hunk[],
  ): vscode.TextEdit[] {
    this.#known.set(keyOf(document.getText()), this.#hunks);
    this.#known.set(keyOf(edited(linesOf(document), edits).join(eolOf(document))), next);
    return edits.map((each) => textEdit(document, each));
  }

  #edited({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const isKnown = this.#writing || reason !== undefined;
    const known = isKnown ? this.#known.get(keyOf(document.getText())) : undefined;
    this.#set(known ?? contentChanges.reduce(moved, this.#hunks));
  }

  /** Who saves a file wants its text there, and no empty lines in place of removed ones. */
  #acceptRest(document: vscode.TextDocument): vscode.TextEdit[] {
    const edits = joined(this.#hunks.map((hunk) => decision(hunk, true)));
    const textEdits = this.#expect(document, edits, []);
    this.#set([]);
    return textEdits;
  }

  #closed(document: vscode.TextDocument): void {
    const text = document.getText();
    const edits = joined(this.#hunks.map((hunk) => decision(hunk, true)));
    this.#document = undefined;
    this.#known.clear();
    this.#set([]);
    if (edits.length > 0 && !document.isUntitled) void acceptInFile(document.uri, text, edits);
  }

  #set(hunks: readonly Hunk[]): void {
    if (hunks.length === 0 && this.#hunks.length === 0) return;
    this.#hunks = hunks;
    this.#changed.fire();
  }
}

/** A file that was saved automatically still has the empty lines when it is closed. */
async function acceptInFile(uri: vscode.Uri, text: string, edits: readonly LineEdit[]): Promise<void> {
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() !== text) return;
    const edit = new vscode.WorkspaceEdit();
    edit.set(
      uri,
      edits.map((each) => textEdit(document, each)),
    );
    if (await vscode.workspace.applyEdit(edit)) await document.save();
  } catch {
    // The file is gone.
  }
}

function textEdit(document: vscode.TextDocument, { from, to, lines }: LineEdit): vscode.TextEdit {
  const end = document.lineAt(to - 1).range.end;
  if (lines.length > 0)
    return vscode.TextEdit.replace(
      new vscode.Range(new vscode.Position(from, 0), end),
      lines.join(eolOf(document)),
    );
  if (to < document.lineCount) return vscode.TextEdit.delete(new vscode.Range(from, 0, to, 0));
  // The last lines go with the end of the line above them.
  const start = from === 0 ? new vscode.Position(0, 0) : document.lineAt(from - 1).range.end;
  return vscode.TextEdit.delete(new vscode.Range(start, end));
}

function growthAbove(line: number, edits: readonly LineEdit[]): number {
  return edits
    .filter(({ from }) => from < line)
    .reduce((sum, { from, to, lines }) => sum + lines.length - (to - from), 0);
}

function linesOf(document: vscode.TextDocument): string[] {
  return document.getText().split(/\r?\n/);
}

function eolOf({ eol }: vscode.TextDocument): string {
  return eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
