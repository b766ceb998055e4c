// Shows pending edits in the editor: added lines in green, removed ones in red above them, and a code lens with actions
// on top of each hunk.
import * as vscode from 'vscode';
import { decorationText } from '../../decorationText';
import { SELECTOR } from '../../gate/gate';
import { endOf, type Hunk } from './hunks';
import type { PendingEdits } from './pendingEdits';

const CONTEXT_KEY = 'flashline.editPending';
/** Characters shown of a removed line; the hover shows the whole text. */
const MAX_SHOWN = 400;

/** Argument of a code lens, which names its hunk. */
export interface HunkReference {
  readonly uri: string;
  readonly id: number;
}

export class EditView implements vscode.Disposable {
  readonly #added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
  });
  readonly #removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.removedLineBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
  });
  readonly #note = vscode.window.createTextEditorDecorationType({});
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly #parts: readonly vscode.Disposable[];

  constructor(private readonly pending: PendingEdits) {
    const show = (): void => {
      this.#show();
    };
    const provider = {
      onDidChangeCodeLenses: this.#lenses.event,
      provideCodeLenses: (document: vscode.TextDocument) => lenses(document, pending.hunksOf(document)),
    };
    this.#parts = [
      this.#added,
      this.#removed,
      this.#note,
      this.#lenses,
      pending.onDidChange(() => {
        show();
        this.#lenses.fire();
      }),
      vscode.window.onDidChangeActiveTextEditor(show),
      vscode.window.onDidChangeVisibleTextEditors(show),
      vscode.languages.registerCodeLensProvider(SELECTOR, provider),
    ];
    // Edits can be pending from before the window was reloaded.
    show();
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  #show(): void {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const isPending = activeTextEditor && this.pending.hunksOf(activeTextEditor.document).length > 0;
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, isPending === true);
    for (const editor of visibleTextEditors) {
      const hunks = this.pending.hunksOf(editor.document);
      editor.setDecorations(this.#added, hunks.filter(({ added }) => added > 0).map(addedLines));
      editor.setDecorations(
        this.#removed,
        hunks.flatMap((hunk) => (hunk.empty > 0 ? removedLines(hunk, editor) : [])),
      );
      const takenOut = hunks.filter(({ removed, empty }) => empty === 0 && removed.length > 0);
      editor.setDecorations(
        this.#note,
        takenOut.map((hunk) => takenOutNote(hunk, editor.document)),
      );
    }
  }
}

function addedLines(hunk: Hunk): vscode.Range {
  return new vscode.Range(hunk.line + hunk.empty, 0, endOf(hunk) - 1, 0);
}

function removedLines({ line, removed }: Hunk, editor: vscode.TextEditor): vscode.DecorationOptions[] {
  const hoverMessage = codeOf(removed, editor.document);
  return removed.map((text, i) => ({
    range: new vscode.Range(line + i, 0, line + i, 0),
    hoverMessage,
    renderOptions: {
      after: {
        contentText: decorationText(text.slice(0, MAX_SHOWN), editor),
        color: new vscode.ThemeColor('descriptionForeground'),
      },
    },
  }));
}

/** Returns the count of removed lines as a note in the first added line, or in the line above if nothing was added. */
function takenOutNote(
  { line, removed, added }: Hunk,
  document: vscode.TextDocument,
): vscode.DecorationOptions {
  const noteLine = document.lineAt(
    Math.min(document.lineCount - 1, Math.max(0, added > 0 ? line : line - 1)),
  );
  return {
    range: noteLine.range,
    hoverMessage: codeOf(removed, document),
    renderOptions: {
      after: {
        contentText: `\u00a0\u00a0old lines: ${removed.length}`,
        color: new vscode.ThemeColor('descriptionForeground'),
      },
    },
  };
}

function codeOf(lines: readonly string[], { languageId }: vscode.TextDocument): vscode.MarkdownString {
  return new vscode.MarkdownString().appendCodeblock(lines.join('\n'), languageId);
}

function lenses({ uri }: vscode.TextDocument, hunks: readonly Hunk[]): vscode.CodeLens[] {
  const lens = ({ id, line }: Hunk, title: string, command: string): vscode.CodeLens => {
    const reference: HunkReference = { uri: uri.toString(), id };
    const range = new vscode.Range(line, 0, line, 0);
    return new vscode.CodeLens(range, { title, command, arguments: [reference] });
  };
  return hunks.flatMap((hunk, i) => [
    lens(hunk, 'Accept', 'flashline.acceptHunk'),
    lens(hunk, 'Reject', 'flashline.rejectHunk'),
    ...(i === 0 && hunks.length > 1
      ? [
          lens(hunk, `Accept All (${hunks.length})`, 'flashline.acceptEdit'),
          lens(hunk, 'Reject All', 'flashline.rejectEdit'),
        ]
      : []),
  ]);
}

/** Accepts or rejects the given hunk, else the first at or below the cursor, else the last. Then goes to the next. */
export async function decideHunk(pending: PendingEdits, isAccepted: boolean, given?: unknown): Promise<void> {
  const { uri, id } = hunkReference(given);
  const editor = editorOf(pending, uri);
  if (editor === undefined) return;
  const { document, selection } = editor;
  const hunks = pending.hunksOf(document);
  const chosen =
    id === undefined
      ? (hunks.find((hunk) => endOf(hunk) > selection.active.line) ?? hunks.at(-1))
      : hunks.find((hunk) => hunk.id === id);
  if (chosen === undefined) return;
  await decide(pending, document, [chosen], isAccepted);
  const undecided = pending.hunksOf(document);
  const following = undecided[hunks.indexOf(chosen)] ?? undecided.at(-1);
  if (following !== undefined) goTo(editor, following);
}

/** Accepts or rejects all hunks in the file of the given hunk, or else in a visible file, the active one first. */
export async function decideAll(pending: PendingEdits, isAccepted: boolean, given?: unknown): Promise<void> {
  const document = editorOf(pending, hunkReference(given).uri)?.document;
  if (document) await decide(pending, document, pending.hunksOf(document), isAccepted);
}

async function decide(
  pending: PendingEdits,
  document: vscode.TextDocument,
  hunks: readonly Hunk[],
  isAccepted: boolean,
): Promise<void> {
  if (!(await pending.decide(document, hunks, isAccepted)))
    void vscode.window.showErrorMessage('VS Code refused to change the file. You can still undo the edit.');
}

export function goTo(editor: vscode.TextEditor, { line }: Hunk): void {
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Returns an editor of a file with pending hunks, the active one first. */
function editorOf(pending: PendingEdits, uri: string | undefined): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editors = [...(activeTextEditor ? [activeTextEditor] : []), ...visibleTextEditors];
  return editors.find(
    ({ document }) =>
      pending.hunksOf(document).length > 0 && (uri === undefined || uri === document.uri.toString()),
  );
}

/** Reads the hunk from the argument of a command; buttons in the editor title pass other arguments. */
function hunkReference(given: unknown): Partial<HunkReference> {
  const { uri, id } = { ...(given as Readonly<Record<string, unknown>> | null | undefined) };
  return { ...(typeof uri === 'string' && { uri }), ...(typeof id === 'number' && { id }) };
}
