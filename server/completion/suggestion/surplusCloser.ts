// Finds the first surplus closer of a text: one that the document has already, or one without an opener.
import type { LexicalEvent, Open, Scan } from '../syntax/scanner';
import { mustClose, type CursorSyntax } from './cursorSyntax';
import { CLOSERS, type Replaced } from './replacedClosers';
import { faults, isNoWorse, scanWithText } from './textSyntax';

/** Returns the index of the first surplus closer, or the text's length. */
export function surplusCloser(text: string, here: CursorSyntax, { characters, closers }: Replaced): number {
  const cursor = here.lineBefore.length;
  const after = here.after.slice(characters);
  const read = scanWithText(text, here);
  const left = stringLeft(text, read, here);
  if (left !== undefined) return left;
  if (opensAgain(text, read, here) || endsAll(text, read, here)) return text.length;
  const faultsWith = (these: readonly Open[]): number => faults(text, these, after, here);
  let { open } = here;
  let missing = here.missing;
  for (const [i, event] of read.events.entries()) {
    const at = event.at - cursor;
    if (event.kind !== 'closed' || event.opened === undefined) return brokenAt(text, event, cursor);
    const { opened } = event;
    const index = open.findIndex((delimiter) => delimiter.at === opened.at);
    // The opener was incomplete at the cursor, as in a tag.
    if (index < 0) continue;
    const outer = open.slice(0, index);
    if (i >= closers && opened.kind !== 'bracket' && here.closedByLine.has(opened.at)) return at;
    if (i >= closers && opened.kind !== 'prose') {
      missing -= 1;
      if (missing < 0 || faultsWith(outer) > faultsWith(open)) return at;
    }
    open = outer;
  }
  return text.length;
}

/**
 * Returns whether a text closes delimiters only to open the same ones again, or to open others in its line, and leaves
 * no more unmatched delimiters.
 */
function opensAgain(text: string, read: Scan, here: CursorSyntax): boolean {
  const { open, lineBefore } = here;
  if (leavesClosed(text, read, here)) return false;
  const isSame =
    read.open.length === open.length && read.open.every(({ closer }, i) => closer === open[i]?.closer);
  const isOther =
    !text.includes('\n') &&
    read.open.some((delimiter) => delimiter.at >= lineBefore.length && mustClose(delimiter));
  if (!(isSame || isOther) || read.events.some(({ kind }) => kind !== 'closed')) return false;
  return isNoWorse(text, read.open, here);
}

/**
 * Returns whether a text closes delimiters that the user has closed already: the document lacks no closer, and the line
 * goes on with more than closers, so that no editor has just inserted them. Strings in a text of several lines are keys
 * or items of a list.
 */
function leavesClosed(text: string, { events }: Scan, { lineAfter, missing }: CursorSyntax): boolean {
  const isKey = text.includes('\n') && events[0]?.opened?.kind === 'string';
  return events.length > 0 && missing <= 0 && !isKey && !CLOSERS.test(lineAfter);
}

/** Start of the text between two strings of a list or a dictionary, or between two attributes of a tag. */
const SEPARATES = /^\s*[,:]|^\s+[\w:@.-]+=/;

/**
 * Returns the index at which a text closes the cursor's string only to open another one, which the quote after the
 * cursor would close; undefined if it does not. With the cursor in `c == '|'`, such a text would be the rest of the
 * condition and a second one.
 */
function stringLeft(text: string, { events, open }: Scan, here: CursorSyntax): number | undefined {
  const cursor = here.lineBefore.length;
  const [closed] = events;
  const begun = open.findLast(({ kind, at }) => kind === 'string' && at >= cursor);
  if (closed?.opened?.kind !== 'string' || begun?.closer !== closed.opened.closer) return undefined;
  const between = text.slice(closed.end - cursor, begun.at - cursor);
  return here.lineAfter.startsWith(begun.closer) && !SEPARATES.test(between) ? closed.at - cursor : undefined;
}

/**
 * Returns whether a text closes several delimiters that lack their closers. They are judged together: one by one, the
 * next string of the document could seem to be the rest of this one.
 */
function endsAll(text: string, { events, open }: Scan, here: CursorSyntax): boolean {
  const isClosing = events.length > 1 && events.every(({ kind }) => kind === 'closed');
  if (!isClosing || events.length > here.missing) return false;
  return isNoWorse(text, open, here);
}

/**
 * Returns where to cut at an event that is not a closer: before its line if a string of the text breaks off at its
 * line's end.
 */
function brokenAt(text: string, { at, opened, kind }: LexicalEvent, cursor: number): number {
  if (kind !== 'broken' || opened === undefined || opened.at < cursor) return at - cursor;
  return Math.max(0, text.lastIndexOf('\n', opened.at - cursor));
}
