// Scans a suggestion at its cursor: the delimiters that it opens and closes, and those that the document then lacks.
import { scan, type Open, type Scan } from '../syntax/scanner';
import { mustClose, type CursorSyntax } from './cursorSyntax';

/** Scans the cursor's line with the text. Reports the text's events only. */
export function scanWithText(text: string, { lineBefore, languageId, above }: CursorSyntax): Scan {
  return scan(lineBefore + text, languageId, { from: 0, open: above, eventsFrom: lineBefore.length });
}

/** Counts the delimiters left unmatched in the document after `text`, where `open` is open. */
export function faults(text: string, open: readonly Open[], after: string, here: CursorSyntax): number {
  const head = here.lineBefore + text;
  const rest = scan(head + after, here.languageId, { from: head.length, open });
  return rest.faults + rest.open.filter(mustClose).length;
}

/** Whether the document lacks no more delimiters with the text, after which `open` is open, than without it. */
export function isNoWorse(text: string, open: readonly Open[], here: CursorSyntax): boolean {
  return faults(text, open, here.after, here) <= faults('', here.open, here.after, here);
}
