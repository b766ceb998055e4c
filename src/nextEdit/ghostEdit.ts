// Finds proposals that VS Code can show as ghost text: insertions at the cursor.
import * as vscode from 'vscode';
import type { OffsetEdit } from './proposal';

/**
 * Returns an edit equivalent to the proposed one that VS Code would show at the cursor: it replaces a part of the
 * cursor's line by a text that begins with the characters before the cursor and contains the rest in order. Undefined
 * if there is none.
 */
export function ghostEdit(
  proposed: OffsetEdit,
  document: vscode.TextDocument,
  cursor: vscode.Position,
): OffsetEdit | undefined {
  const cursorOffset = document.offsetAt(cursor);
  const edit = proposed.old === '' ? movedTo(cursorOffset, proposed, document) : proposed;
  const { offset, old, text } = edit;
  const isHere = document.positionAt(offset).line === cursor.line && !/[\r\n]/.test(old);
  if (!isHere || cursorOffset < offset || cursorOffset > offset + old.length) return undefined;
  const before = old.slice(0, cursorOffset - offset);
  if (!text.startsWith(before)) return undefined;
  return isSubsequence(old.slice(before.length), text.slice(before.length)) ? edit : undefined;
}

/** Converts an edit to an item of VS Code. */
export function ghostItem(
  { offset, old, text }: OffsetEdit,
  document: vscode.TextDocument,
): vscode.InlineCompletionItem {
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + old.length));
  return new vscode.InlineCompletionItem(text, range);
}

/**
 * Moves an insertion to the offset `target` if that has the same effect: earlier if the inserted text ends with the
 * characters in between, later if it begins with them. For example, a new line can be inserted before or after a line
 * break.
 */
function movedTo(target: number, edit: OffsetEdit, document: vscode.TextDocument): OffsetEdit {
  const distance = Math.abs(target - edit.offset);
  if (distance === 0 || distance > edit.text.length) return edit;
  const from = Math.min(target, edit.offset);
  const between = document.getText(
    new vscode.Range(document.positionAt(from), document.positionAt(from + distance)),
  );
  const { text } = edit;
  if (target < edit.offset)
    return text.endsWith(between)
      ? { offset: target, old: '', text: between + text.slice(0, -distance) }
      : edit;
  return text.startsWith(between) ? { offset: target, old: '', text: text.slice(distance) + between } : edit;
}

/** Returns whether the characters of `part` occur in `text` in the same order, perhaps with others between them. */
function isSubsequence(part: string, text: string): boolean {
  let found = 0;
  for (const character of text) if (part.startsWith(character, found)) found += character.length;
  return found === part.length;
}
