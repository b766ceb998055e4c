// Scans a suggestion at its cursor: finds the delimiters that it opens and closes, and counts the unmatched delimiters
// (faults) of the document with it.
import { countFaults, isText, mustClose, scan, type Open, type Scan } from '../syntax/scanner';
import type { CursorSyntax } from './cursorSyntax';

/** Scans the cursor's line with the text. Reports only events in the text. */
export function scanWithText(
  text: string,
  { lineBefore, languageId, openAtLineStart: open }: CursorSyntax,
): Scan {
  return scan(lineBefore + text, languageId, { from: 0, open, eventsFrom: lineBefore.length });
}

/** Returns the outermost string or comment that the text opens and leaves open; undefined without one. */
export function openedText(text: string, syntax: CursorSyntax): Open | undefined {
  const cursor = syntax.lineBefore.length;
  return scanWithText(text, syntax).open.find(
    (delimiter) => delimiter.at >= cursor && mustClose(delimiter) && isText(delimiter),
  );
}

/** Counts the delimiters that `after` leaves unmatched, given that those in `open` are open at the end of `text`. */
export function faults(text: string, open: readonly Open[], after: string, syntax: CursorSyntax): number {
  return countFaults(syntax.lineBefore + text, open, after, syntax.languageId);
}

/** Returns whether the text adds no unmatched delimiters to the document. Those in `open` are open at its end. */
export function isNoWorse(text: string, open: readonly Open[], syntax: CursorSyntax): boolean {
  return faults(text, open, syntax.after, syntax) <= faults('', syntax.open, syntax.after, syntax);
}
