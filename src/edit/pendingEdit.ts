// The proposed edit that waits for a decision: its hunks, and the document that has their text. The document holds the
// new lines from the start, so that it is valid code whatever happens to it: undone, saved, formatted or closed. The
// empty lines that stand for removed ones are in the editor alone: no file gets them, and a window that is reloaded
// knows them again.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { decision, edited, joined, moved, proposed, withoutEmpty, type Hunk, type LineEdit } from './hunks';

/** For a window that is reloaded: VS Code brings unsaved text back. */
interface Kept {
  readonly uri: string;
  /** The key of the document's text. */
  readonly text: string;
  readonly hunks: readonly Hunk[];
}

const STORED = 'flashline.pendingEdit';

export class PendingEdit implements vscode.Disposable {
  #document: vscode.TextDocument | undefined;
  #hunks: readonly Hunk[] = [];
  /** By the text of the document: undo and redo come back to it. */
  readonly #known = new Map<string, readonly Hunk[]>();
  #writing = false;
  #saving = false;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listeners: readonly vscode.Disposable[] = [
    this.#changed,
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === this.#document && event.contentChanges.length > 0) this.#edited(event);
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document !== this.document) return;
      const isManual = event.reason === vscode.TextDocumentSaveReason.Manual;
      const edits = isManual ? this.#acceptRest(event.document) : this.#takeOutEmpty(event.document);
      if (edits.length > 0) event.waitUntil(Promise.resolve(edits));
    }),
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (document === this.#document) this.#saving = false;
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      this.#restore(document);
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document === this.#document) this.#closed();
    }),
  ];

  constructor(private readonly memory: vscode.Memento) {
    for (const document of vscode.workspace.textDocuments) this.#restore(document);
  }

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
    const isKnown = this.#writing || this.#saving || reason !== undefined;
    const known = isKnown ? this.#known.get(keyOf(document.getText())) : undefined;
    this.#set(known ?? contentChanges.reduce(moved, this.#hunks));
  }

  /** Who saves a file wants its text there. */
  #acceptRest(document: vscode.TextDocument): vscode.TextEdit[] {
    const edits = joined(this.#hunks.map((hunk) => decision(hunk, true)));
    const textEdits = this.#expect(document, edits, []);
    this.#set([]);
    return textEdits;
  }

  /** What is saved in between leaves the decisions open. */
  #takeOutEmpty(document: vscode.TextDocument): vscode.TextEdit[] {
    const { edits, hunks } = withoutEmpty(this.#hunks);
    this.#saving = true;
    return this.#expect(document, edits, hunks);
  }

  #restore(document: vscode.TextDocument): void {
    const kept = this.memory.get<Kept>(STORED);
    if (this.#document || kept?.uri !== document.uri.toString()) return;
    if (kept.text !== keyOf(document.getText())) return;
    this.#document = document;
    this.#set(kept.hunks);
  }

  #closed(): void {
    this.#document = undefined;
    this.#known.clear();
    this.#set([]);
  }

  #set(hunks: readonly Hunk[]): void {
    if (hunks.length === 0 && this.#hunks.length === 0) return;
    this.#hunks = hunks;
    const { document } = this;
    const kept: Kept | undefined = document && {
      uri: document.uri.toString(),
      text: keyOf(document.getText()),
      hunks,
    };
    void this.memory.update(STORED, kept);
    this.#changed.fire();
  }
}

function textEdit(document: vscode.TextDocument, { from, to, lines }: LineEdit): vscode.TextEdit {
  const eol = eolOf(document);
  const last = document.lineAt(document.lineCount - 1).range.end;
  if (from === to)
    return from < document.lineCount
      ? vscode.TextEdit.insert(new vscode.Position(from, 0), lines.map((line) => line + eol).join(''))
      : vscode.TextEdit.insert(last, lines.map((line) => eol + line).join(''));
  const end = document.lineAt(to - 1).range.end;
  if (lines.length > 0)
    return vscode.TextEdit.replace(new vscode.Range(new vscode.Position(from, 0), end), lines.join(eol));
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
