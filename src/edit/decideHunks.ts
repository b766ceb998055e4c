// What the commands and keys about hunks do: decide about one, or about all that are left.
import * as vscode from 'vscode';
import { t } from '../translate';
import { endOf, type Hunk } from './hunks';
import type { PendingEdit } from './pendingEdit';

/** About the hunk with the id `given`, or the one at the cursor, or else the next one. */
export async function decideHunk(pending: PendingEdit, isAccepted: boolean, given?: unknown): Promise<void> {
  const editor = editorOf(pending);
  const { hunks } = pending;
  const line = editor?.selection.active.line ?? 0;
  const chosen =
    typeof given === 'number'
      ? hunks.find(({ id }) => id === given)
      : (hunks.find((hunk) => endOf(hunk) > line) ?? hunks.at(-1));
  if (chosen === undefined) return;
  const next = hunks.indexOf(chosen);
  await decide(pending, [chosen], isAccepted);
  const following = pending.hunks[next] ?? pending.hunks.at(-1);
  if (following !== undefined) show(editor, following);
}

export async function decideAll(pending: PendingEdit, isAccepted: boolean): Promise<void> {
  await decide(pending, pending.hunks, isAccepted);
}

async function decide(pending: PendingEdit, hunks: readonly Hunk[], isAccepted: boolean): Promise<void> {
  if (!(await pending.decide(hunks, isAccepted)))
    void vscode.window.showErrorMessage(
      t('VS Code refused to change the file. Undo still takes the edit back.'),
    );
}

function show(editor: vscode.TextEditor | undefined, { line }: Hunk): void {
  if (editor === undefined) return;
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function editorOf({ document }: PendingEdit): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [activeTextEditor, ...visibleTextEditors].find(
    (each) => document !== undefined && each?.document === document,
  );
}
