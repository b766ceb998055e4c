// Insertions at the cursor, which VS Code can show as ghost text by itself.
import * as vscode from 'vscode';
import { isSubsequence } from '../../server/rules/isSubsequence';
import type { OffsetEdit, Proposal } from './proposal';

/**
 * Returns an edit with the effect of the proposal that VS Code would show at the cursor: it replaces a part of the
 * cursor's line by text that begins with what is before the cursor and has the rest in it, in order.
 */
export function ghostEdit(
  { edits }: Proposal,
  document: vscode.TextDocument,
  cursor: vscode.Position,
): OffsetEdit | undefined {
  const [only, ...others] = edits;
  if (only === undefined || others.length > 0) return undefined;
  const place = document.offsetAt(cursor);
  const edit = only.old === '' ? movedTo(place, only, document) : only;
  const { offset, old, text } = edit;
  const isHere = document.positionAt(offset).line === cursor.line && !/[\r\n]/.test(old);
  if (!isHere || place < offset || place > offset + old.length) return undefined;
  const before = old.slice(0, place - offset);
  if (!text.startsWith(before)) return undefined;
  return isSubsequence(old.slice(before.length), text.slice(before.length)) ? edit : undefined;
}

/** The suggestion for VS Code. */
export function ghostItem(
  { offset, old, text }: OffsetEdit,
  document: vscode.TextDocument,
): vscode.InlineCompletionItem {
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + old.length));
  return new vscode.InlineCompletionItem(text, range);
}

/**
 * An insertion has the same effect one character earlier if that character is also its last one, and likewise later: a
 * new line can be inserted above a line break or below it.
 */
function movedTo(place: number, edit: OffsetEdit, document: vscode.TextDocument): OffsetEdit {
  const far = Math.abs(place - edit.offset);
  if (far === 0 || far > edit.text.length) return edit;
  const from = Math.min(place, edit.offset);
  const between = document.getText(
    new vscode.Range(document.positionAt(from), document.positionAt(from + far)),
  );
  const { text } = edit;
  if (place < edit.offset)
    return text.endsWith(between) ? { offset: place, old: '', text: between + text.slice(0, -far) } : edit;
  return text.startsWith(between) ? { offset: place, old: '', text: text.slice(far) + between } : edit;
}
