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
