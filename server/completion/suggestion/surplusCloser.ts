// Finds where a text stops fitting the document: at its first surplus closer, which follows the cursor already or has
// no opener, or at another fault, such as a string without an end.
import { mustClose, type LexicalEvent, type Open, type Scan } from '../syntax/scanner';
import type { CursorSyntax } from './cursorSyntax';
import { ONLY_CLOSERS, type Replaced } from './replacedClosers';
import { faults, isNoWorse, scanWithText } from './textSyntax';

/**
 * Returns the index of the first surplus closer, or of an earlier fault of the text; the text's length without either.
 * The first `closers` closers of the text replace as many in the first `characters` characters after the cursor, so
 * they are never surplus.
 */
export function surplusCloser(text: string, syntax: CursorSyntax, { characters, closers }: Replaced): number {
  const cursor = syntax.lineBefore.length;
  const after = syntax.after.slice(characters);
  const textScan = scanWithText(text, syntax);
  const doubledQuote = doubledQuoteAt(text, textScan, syntax);
  if (doubledQuote !== undefined) return doubledQuote;
  if (opensAgain(text, textScan, syntax) || closesMissing(text, textScan, syntax)) return text.length;
  const faultsWith = (delimiters: readonly Open[]): number => faults(text, delimiters, after, syntax);
  let { open } = syntax;
  let missing = syntax.missing;
  for (const [i, event] of textScan.events.entries()) {
    const at = event.at - cursor;
    if (event.kind !== 'closed' || event.opened === undefined) return brokenAt(text, event, cursor);
    const { opened } = event;
    const index = open.findIndex((delimiter) => delimiter.at === opened.at);
    // The opener, such as a tag, was not complete at the cursor.
    if (index < 0) continue;
    const outer = open.slice(0, index);
    const replacesOne = i < closers;
    if (!replacesOne && opened.kind !== 'bracket' && syntax.closedByLine.has(opened.at)) return at;
    if (!replacesOne && opened.kind !== 'prose') {
      missing -= 1;
      if (isClosedInLine(opened, syntax) || missing < 0 || faultsWith(outer) > faultsWith(open)) return at;
    }
    open = outer;
  }
  return text.length;
}

/**
 * Returns whether a text closes delimiters and then opens the same ones again, or opens others in its only line,
 * without more unmatched delimiters in the document.
 */
function opensAgain(text: string, textScan: Scan, syntax: CursorSyntax): boolean {
  const { open, lineBefore } = syntax;
  if (closesAgain(text, textScan, syntax)) return false;
  const reopensSame =
    textScan.open.length === open.length &&
    textScan.open.every(({ closer }, i) => closer === open[i]?.closer);
  const opensOthers =
    !text.includes('\n') &&
    textScan.open.some((delimiter) => delimiter.at >= lineBefore.length && mustClose(delimiter));
  if (!(reopensSame || opensOthers) || textScan.events.some(({ kind }) => kind !== 'closed')) return false;
  return isNoWorse(text, textScan.open, syntax);
}

/**
 * Returns whether a text closes delimiters that the user has closed already: the document lacks no closer, or the rest
 * of the line has them, and has other text than closers, so an editor cannot have inserted them just now. A text of
 * several lines that closes a string first is different: the string is a key or an item of a list.
 */
function closesAgain(text: string, { events }: Scan, syntax: CursorSyntax): boolean {
  const isKey = text.includes('\n') && events[0]?.opened?.kind === 'string';
  const areClosed = syntax.missing <= 0 || events.every(({ opened }) => isClosedInLine(opened, syntax));
  return events.length > 0 && areClosed && !isKey && !ONLY_CLOSERS.test(syntax.lineAfter);
}

/**
 * Returns whether the cursor's line opens this delimiter, and the rest of the line closes it and all others that the
 * line opens, and goes on with other text. A document that lacks closers elsewhere lacks none for the line.
 */
function isClosedInLine(opened: Open | undefined, { open, lineAfter, closedByLine }: CursorSyntax): boolean {
  if (opened === undefined || opened.at < 0 || ONLY_CLOSERS.test(lineAfter)) return false;
  return open.every(
    (delimiter) => delimiter.at < 0 || !mustClose(delimiter) || closedByLine.has(delimiter.at),
  );
}

/** Matches the start of the text between two strings of a list or a dictionary, or between two attributes of a tag. */
const SEPARATES = /^\s*[,:]|^\s+[\w:@.-]+=/;

/**
 * Returns the index of a quote that closes the cursor's string if the text then opens another string, which the quote
 * after the cursor would close; undefined without one. With the cursor at | in `c == '|'`, for example, a model writes
 * the rest of the condition and another condition: `x' || c == 'y`.
 */
function doubledQuoteAt(text: string, { events, open }: Scan, syntax: CursorSyntax): number | undefined {
  const cursor = syntax.lineBefore.length;
  const [closed] = events;
  const begun = open.findLast(({ kind, at }) => kind === 'string' && at >= cursor);
  if (closed?.opened?.kind !== 'string' || begun?.closer !== closed.opened.closer) return undefined;
  const between = text.slice(closed.end - cursor, begun.at - cursor);
  return syntax.lineAfter.startsWith(begun.closer) && !SEPARATES.test(between)
    ? closed.at - cursor
    : undefined;
}

/**
 * Returns whether a text only closes delimiters, several of them, and the document lacks all these closers. They are
 * judged together: one by one, the next string of the document could seem to be the rest of the cursor's string.
 */
function closesMissing(text: string, { events, open }: Scan, syntax: CursorSyntax): boolean {
  const isClosing = events.length > 1 && events.every(({ kind }) => kind === 'closed');
  if (!isClosing || events.length > syntax.missing) return false;
  return isNoWorse(text, open, syntax);
}

/**
 * Returns where to cut at an unmatched delimiter: before the line in which the text opens a string and does not close
 * it, otherwise at the delimiter.
 */
function brokenAt(text: string, { at, opened, kind }: LexicalEvent, cursor: number): number {
  if (kind !== 'broken' || opened === undefined || opened.at < cursor) return at - cursor;
  return Math.max(0, text.lastIndexOf('\n', opened.at - cursor));
}
