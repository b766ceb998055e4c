// What the commands and keys about hunks do: decide about one, or about all that are left in its file.
import * as vscode from 'vscode';
import { t } from '../../translate';
import { endOf, type Hunk } from './hunks';
import type { PendingEdits } from './pendingEdits';

/** What a code lens knows of its hunk. */
export interface HunkName {
  readonly uri: string;
  readonly id: number;
}

/** About the hunk that is given, or the one at the cursor, or else the next one. */
export async function decideHunk(pending: PendingEdits, isAccepted: boolean, given?: unknown): Promise<void> {
  const { uri, id } = nameIn(given);
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
  const left = pending.hunksOf(document);
  const following = left[hunks.indexOf(chosen)] ?? left.at(-1);
  if (following !== undefined) show(editor, following);
}

/** In the file of the hunk that is given, or the one in front. */
export async function decideAll(pending: PendingEdits, isAccepted: boolean, given?: unknown): Promise<void> {
  const document = editorOf(pending, nameIn(given).uri)?.document;
  if (document) await decide(pending, document, pending.hunksOf(document), isAccepted);
}

async function decide(
  pending: PendingEdits,
  document: vscode.TextDocument,
  hunks: readonly Hunk[],
  isAccepted: boolean,
): Promise<void> {
  if (!(await pending.decide(document, hunks, isAccepted)))
    void vscode.window.showErrorMessage(
      t('VS Code refused to change the file. You can still undo the edit.'),
    );
}

function show(editor: vscode.TextEditor, { line }: Hunk): void {
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** In a file in which something waits. */
function editorOf(pending: PendingEdits, uri: string | undefined): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editors = [...(activeTextEditor ? [activeTextEditor] : []), ...visibleTextEditors];
  return editors.find(
    ({ document }) =>
      pending.hunksOf(document).length > 0 && (uri === undefined || uri === document.uri.toString()),
  );
}

/** The buttons of an editor's title give something else. */
function nameIn(given: unknown): Partial<HunkName> {
  const { uri, id } = { ...(given as Readonly<Record<string, unknown>> | null | undefined) };
  return { ...(typeof uri === 'string' && { uri }), ...(typeof id === 'number' && { id }) };
}
