// Chooses the form in which a proposal is displayed, by the cursor, the selection and the visible lines of its editor.
import type * as vscode from 'vscode';
import { isFarAside, type Drawing } from './drawing';
import { ghostEdit } from './ghostEdit';
import type { Proposal } from './proposal';

/**
 * Form of display. ghost: ghost text of VS Code. here: drawn in place where it is visible, and one key accepts. hint:
 * one key goes to the edit, the next accepts.
 */
type Display = 'ghost' | 'here' | 'hint';

/** The proposal that an editor shows. */
export interface Shown {
  readonly editor: vscode.TextEditor;
  readonly proposal: Proposal;
  readonly drawing: Drawing;
  /** Version of the document for which the drawing was made. */
  readonly version: number;
  /** Time at which it appeared, in ms of performance.now(). */
  readonly since: number;
  /** Undefined before the first drawing. */
  readonly display: Display | undefined;
  /** Position to which a key has moved the cursor. */
  readonly arrival: vscode.Position | undefined;
}

/**
 * Maximum distance, in lines, between the cursor and a small change that one key accepts in the mode "inline"; in the
 * mode "hint", the cursor must be in one of its lines.
 */
const NEAR_LINES = 2;

/** Returns the proposal with the form of display that suits the state of its editor, in the mode "inline" or "hint". */
export function withDisplay(shown: Shown, isInline: boolean): Shown {
  const { editor, drawing, proposal } = shown;
  const { active: cursor } = editor.selection;
  const { start, end } = drawing.range;
  const distance = Math.max(start.line - cursor.line, cursor.line - end.line, 0);
  const arrival = distance === 0 ? shown.arrival : undefined;
  // With text selected, Tab does not accept ghost text.
  const edit = editor.selection.isEmpty ? ghostEdit(proposal.edit, editor.document, cursor) : undefined;
  if (edit) return { ...shown, proposal: proposal.movedTo(edit), arrival, display: 'ghost' };
  const maxDistance = isInline ? NEAR_LINES : 0;
  const isNear = drawing.isSmall && distance <= maxDistance && !isFarAside(drawing, cursor);
  const visibleCount = visibleLineCount(editor, drawing.range);
  // The edit that a key has gone to can have more lines than fit into the window.
  const isVisible = arrival ? visibleCount > 0 : visibleCount > end.line - start.line;
  const display = isVisible && (isNear || arrival) ? 'here' : 'hint';
  return { ...shown, arrival, display };
}

/**
 * Returns whether Tab can accept: with no text selected, after the first visible character of a line, where it does not
 * indent, or where it has moved the cursor itself.
 */
export function isTabFree({ editor, arrival }: Shown): boolean {
  const { active, isEmpty } = editor.selection;
  if (!isEmpty) return false;
  if (arrival?.isEqual(active)) return true;
  return active.character > editor.document.lineAt(active.line).firstNonWhitespaceCharacterIndex;
}

/** Returns how many lines of a range an editor shows: those neither folded nor scrolled out of view. */
export function visibleLineCount({ visibleRanges }: vscode.TextEditor, range: vscode.Range): number {
  return visibleRanges
    .map(({ start, end }) => Math.min(range.end.line, end.line) - Math.max(range.start.line, start.line) + 1)
    .reduce((sum, count) => sum + Math.max(0, count), 0);
}
