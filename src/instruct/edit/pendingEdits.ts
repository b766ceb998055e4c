// Keeps proposed edits until the user decides, at most one per file. The document contains the new lines from the
// start, so it is valid code even if it is undone, saved, formatted or closed. Empty lines in place of removed ones
// exist only in the editor, never in the file. A pending edit survives its document, its tab and the window; it ends
// with a decision or a manual save, with its last hunk, or with the file.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { decision, edited, joined, moved, proposed, withoutEmpty, type Hunk, type LineEdit } from './hunks';

/** Stored state of an edit, from which a reloaded window continues. */
interface StoredEdit {
  readonly uri: string;
  /** Hash of the text that the hunks apply to. */
  readonly textKey: string;
  readonly hunks: readonly Hunk[];
}

interface PendingEdit {
  textKey: string;
  hunks: readonly Hunk[];
  /** Document of the edit; undefined while it is closed or has another text. */
  document?: vscode.TextDocument | undefined;
  /** Hunks by the hash of a text that undo and redo can return to. */
  readonly hunksByText: Map<string, readonly Hunk[]>;
  /** Hash of the text after our own edit, while VS Code applies it. */
  expectedKey?: string | undefined;
}

const STORAGE_KEY = 'flashline.pendingEdit';
/** Maximum number of stored edits, since some files never have the same text again. */
const MAX_STORED = 50;

export class PendingEdits implements vscode.Disposable {
  /** Edits by URI, oldest first. Not by document: VS Code replaces documents, for example on a change of language. */
  readonly #edits = new Map<string, PendingEdit>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listeners: readonly vscode.Disposable[] = [
    this.#changed,
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.contentChanges.length > 0) this.#onChange(event);
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      const edits = this.#beforeSave(event.document, event.reason === vscode.TextDocumentSaveReason.Manual);
      if (edits.length > 0) event.waitUntil(Promise.resolve(edits));
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      this.#restore(document);
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document.isClosed) this.#onClose(document);
    }),
    vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const { oldUri, newUri } of files) this.#onRename(oldUri.toString(), newUri.toString());
    }),
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      for (const [uri] of files.flatMap((file) => this.#editsUnder(file.toString()))) this.#forget(uri);
    }),
  ];

  constructor(private readonly memory: vscode.Memento) {
    for (const { uri, textKey, hunks } of memory.get<readonly StoredEdit[]>(STORAGE_KEY, []))
      this.#edits.set(uri, { textKey, hunks, hunksByText: new Map() });
    for (const document of vscode.workspace.textDocuments) this.#restore(document);
  }

  /** Fires when hunks are added, removed or moved. */
  readonly onDidChange = this.#changed.event;

  /** Returns the pending hunks of a document, in order. */
  hunksOf(document: vscode.TextDocument): readonly Hunk[] {
    return this.#editOf(document)?.hunks ?? [];
  }

  /** Proposes `after` for the lines from `from` up to `to`, without `to`. Resolves with false if VS Code refuses. */
  async propose(
    document: vscode.TextDocument,
    from: number,
    to: number,
    after: readonly string[],
  ): Promise<boolean> {
    const { lines, hunks } = proposed(linesOf(document).slice(from, to), after, from);
    if (hunks.length === 0) return true;
    const edit = this.#editOf(document) ?? { textKey: '', hunks: [], hunksByText: new Map(), document };
    return await this.#write(edit, document, [{ from, to, lines }], hunks);
  }

  /** Accepts or rejects `chosen` as one undo step. Resolves with false if VS Code refuses the edit. */
  async decide(
    document: vscode.TextDocument,
    chosen: readonly Hunk[],
    isAccepted: boolean,
  ): Promise<boolean> {
    const edit = this.#editOf(document);
    if (edit === undefined) return true;
    const chosenHunks = edit.hunks.filter((hunk) => chosen.includes(hunk));
    const edits = joined(chosenHunks.map((hunk) => decision(hunk, isAccepted)));
    const rest = edit.hunks
      .filter((hunk) => !chosenHunks.includes(hunk))
      .map((hunk) => ({ ...hunk, line: hunk.line + growthAbove(hunk.line, edits) }));
    return await this.#write(edit, document, edits, rest);
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Returns the edit of a document; undefined while its text is not the one that the hunks apply to. */
  #editOf(document: vscode.TextDocument): PendingEdit | undefined {
    const edit = this.#edits.get(document.uri.toString());
    return edit?.document === document ? edit : undefined;
  }

  /** Applies `edits`, after which `next` are the hunks. Resolves with false if VS Code refuses them. */
  async #write(
    edit: PendingEdit,
    document: vscode.TextDocument,
    edits: readonly LineEdit[],
    next: readonly Hunk[],
  ): Promise<boolean> {
    const textEdits = expectEdits(edit, document, edits, next);
    if (textEdits.length === 0) {
      this.#set(edit, document, next);
      return true;
    }
    const uri = document.uri.toString();
    const before = this.#edits.get(uri);
    this.#edits.set(uri, edit);
    const change = new vscode.WorkspaceEdit();
    change.set(document.uri, textEdits);
    const text = document.getText();
    const write = () => vscode.workspace.applyEdit(change);
    // VS Code refuses an edit to an outdated version, even if the newer one has the same text.
    if ((await write()) || (document.getText() === text && (await write()))) return true;
    edit.expectedKey = undefined;
    if (before) this.#edits.set(uri, before);
    return false;
  }

  /** Takes the recorded hunks after an edit of ours, undo or redo; else moves the hunks along with the change. */
  #onChange({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const edit = this.#editOf(document);
    if (edit === undefined) return this.#restore(document);
    const { expectedKey, hunks } = edit;
    if (hunks.length === 0 && expectedKey === undefined && reason === undefined) return;
    const key = keyOf(document.getText());
    const isOurs = key === expectedKey;
    const isUndoOrRedo = reason !== undefined;
    if (isOurs) edit.expectedKey = undefined;
    const recorded = isOurs || isUndoOrRedo ? edit.hunksByText.get(key) : undefined;
    this.#set(edit, document, recorded ?? contentChanges.reduce(moved, hunks));
  }

  /** Removes the empty lines before a save. A manual save accepts the hunks; an automatic one leaves them pending. */
  #beforeSave(document: vscode.TextDocument, isManual: boolean): readonly vscode.TextEdit[] {
    const edit = this.#editOf(document);
    const { edits, hunks } = withoutEmpty(edit?.hunks ?? this.#hunksFor(document));
    if (edit === undefined) return edits.map((lineEdit) => textEdit(document, lineEdit));
    const next = isManual ? [] : hunks;
    const textEdits = expectEdits(edit, document, edits, next);
    if (textEdits.length === 0) this.#set(edit, document, next);
    return textEdits;
  }

  /** Finds the hunks of a copy: "Save As" fills another document with the text, including our empty lines. */
  #hunksFor(document: vscode.TextDocument): readonly Hunk[] {
    const edits = [...this.#edits.values()].filter(({ hunks }) => hunks.length > 0);
    const textKey = edits.length > 0 ? keyOf(document.getText()) : '';
    return edits.find((edit) => edit.textKey === textKey)?.hunks ?? [];
  }

  /** Connects an edit with its document again, once the document has the text that the hunks apply to. */
  #restore(document: vscode.TextDocument): void {
    const edit = this.#edits.get(document.uri.toString());
    if (!edit || edit.document === document || edit.textKey !== keyOf(document.getText())) return;
    edit.document = document;
    this.#changed.fire();
  }

  #onClose(document: vscode.TextDocument): void {
    const edit = this.#editOf(document);
    if (edit === undefined) return;
    if (edit.hunks.length === 0 || document.isUntitled) this.#forget(document.uri.toString());
    else {
      edit.document = undefined;
      this.#changed.fire();
    }
  }

  #onRename(before: string, now: string): void {
    for (const [uri, edit] of this.#editsUnder(before)) {
      const renamed = now + uri.slice(before.length);
      this.#edits.delete(uri);
      this.#edits.set(renamed, { ...edit, document: undefined });
      this.#store();
      for (const document of vscode.workspace.textDocuments)
        if (document.uri.toString() === renamed) this.#restore(document);
    }
  }

  /** Returns the edits of a file, or of all files in a folder. */
  #editsUnder(uri: string): (readonly [string, PendingEdit])[] {
    return [...this.#edits].filter(([key]) => key === uri || key.startsWith(`${uri}/`));
  }

  #forget(uri: string): void {
    this.#edits.delete(uri);
    this.#store();
    this.#changed.fire();
  }

  /** Sets the hunks of an edit for the current text of the document. */
  #set(edit: PendingEdit, document: vscode.TextDocument, hunks: readonly Hunk[]): void {
    const hadHunks = edit.hunks.length > 0;
    edit.hunks = hunks;
    if (!hadHunks && hunks.length === 0) return;
    edit.textKey = keyOf(document.getText());
    this.#store();
    this.#changed.fire();
  }

  #store(): void {
    const stored: StoredEdit[] = [...this.#edits].flatMap(([uri, { textKey, hunks }]) =>
      hunks.length > 0 ? { uri, textKey, hunks } : [],
    );
    void this.memory.update(STORAGE_KEY, stored.length > 0 ? stored.slice(-MAX_STORED) : undefined);
  }
}

/** Records the hunks before and after `edits` by the texts that they apply to. Returns the edits for VS Code. */
function expectEdits(
  edit: PendingEdit,
  document: vscode.TextDocument,
  edits: readonly LineEdit[],
  next: readonly Hunk[],
): vscode.TextEdit[] {
  edit.hunksByText.set(keyOf(document.getText()), edit.hunks);
  if (edits.length > 0) {
    edit.expectedKey = keyOf(edited(linesOf(document), edits).join(eolOf(document)));
    edit.hunksByText.set(edit.expectedKey, next);
  }
  return edits.map((lineEdit) => textEdit(document, lineEdit));
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
  // At the end of the document, the line break above is deleted too.
  const start = from === 0 ? new vscode.Position(0, 0) : document.lineAt(from - 1).range.end;
  return vscode.TextEdit.delete(new vscode.Range(start, end));
}

/** Returns the number of lines by which `edits` move the given line down. */
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

/** Returns the hash by which a text is recognised. */
function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
