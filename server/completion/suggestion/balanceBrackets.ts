// Step: balances brackets, strings and comments. A closer in the text stays if the document lacks it, or if it replaces
// one that the editor has inserted after the cursor. A closer is added for each opener that the text leaves open,
// unless the document after the cursor closes it.
import type { CompletionContext } from '../prompt/context';
import { regexLength } from '../syntax/lexicalRules';
import { isText } from '../syntax/scanner';
import { closeOpenBrackets } from './closeOpenBrackets';
import { cursorSyntax, type CursorSyntax } from './cursorSyntax';
import { surplusCloser } from './surplusCloser';
import { replacedClosers } from './replacedClosers';
import { faults, openedText, scanWithText } from './textSyntax';

const LAST_DELIMITER = /[)\]}'"`/](?=[^)\]}'"`/]*$)/;

/** Cuts before the first surplus closer, and closes open delimiters at the end unless the text still grows. */
export function balanceBrackets(text: string, context: CompletionContext, isPart = false): string {
  const syntax = cursorSyntax(context);
  const regex = text.slice(0, lengthInRegex(text, syntax) ?? 0);
  if (regex !== '' && isPattern(regex)) return regex;
  const sound = withoutSurplus(text, context, syntax);
  if (isPart) return withoutOpenText(sound, syntax);
  const after = syntax.after.slice(replacedClosers(sound, context).characters);
  const closed = closeOpenBrackets(sound, { ...syntax, after });
  return closed.isDone ? closed.text : balanceBrackets(closed.text, context);
}

/**
 * Returns the length of the part of a text that belongs to the regular expression around the cursor: only that can be
 * inserted. Undefined if the cursor is in none.
 */
function lengthInRegex(text: string, { open, lineBefore, lineAfter, languageId }: CursorSyntax) {
  return open.some(isText) ? undefined : regexLength(text, lineBefore, lineAfter, languageId);
}

/** Returns whether a text is complete as a regular expression, in which quotes and brackets can be characters. */
function isPattern(text: string): boolean {
  try {
    // With the flag u, a closer without an opener is an error. The flag also forbids some escapes of punctuation, so
    // each is replaced by one that is allowed.
    return new RegExp(text.replace(/\\[^\p{L}\p{N}]/gu, '\\.'), 'u').source !== '';
  } catch {
    return false;
  }
}

/** Cuts until each closer has its opener and the document has no more unmatched delimiters than before. */
function withoutSurplus(text: string, context: CompletionContext, syntax: CursorSyntax): string {
  const insertable = text.slice(0, lengthInRegex(text, syntax));
  const kept = insertable.slice(0, surplusCloser(insertable, syntax, replacedClosers(insertable, context)));
  if (kept !== text) return withoutSurplus(kept, context, syntax);
  if (isSound(text, context, syntax)) return text;
  return withoutSurplus(text.slice(0, Math.max(0, text.search(LAST_DELIMITER))), context, syntax);
}

/**
 * Returns whether the text adds no unmatched delimiters to the document after the cursor, with the delimiters that it
 * opens either left open or closed.
 */
function isSound(text: string, context: CompletionContext, syntax: CursorSyntax): boolean {
  const { after, open } = syntax;
  const openAfter = scanWithText(text, syntax).open;
  const openedBefore = openAfter.filter(({ at }) => at < syntax.lineBefore.length);
  const rest = after.slice(replacedClosers(text, context).characters);
  const faultsBefore = faults('', open, after, syntax);
  return [openedBefore, openAfter].some(
    (delimiters) => faults(text, delimiters, rest, syntax) <= faultsBefore,
  );
}

/** Cuts before the line of a string or comment that is open at the end of a part. Open brackets can be closed later. */
function withoutOpenText(text: string, syntax: CursorSyntax): string {
  const cursor = syntax.lineBefore.length;
  const unclosed = openedText(text, syntax);
  return unclosed === undefined
    ? text
    : text.slice(0, Math.max(0, text.lastIndexOf('\n', unclosed.at - cursor)));
}
