// The commands that accept or reject hunks of a proposed edit: one hunk, or all of a file.
import * as vscode from 'vscode';
import type { HunkReference } from './editView';
import { endOf, type Hunk } from './hunks';
import type { PendingEdits } from './pendingEdits';

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
