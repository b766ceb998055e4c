// Step: drops a text directly before a string if the string cannot follow it.
import type { CompletionContext } from '../prompt/context';
import { lexicalRules } from '../syntax/lexicalRules';
import { isText, scan } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';

const QUOTES = /^[$@#]*["'`]+/;
/** Matches a text that a value can follow: it ends with an operator, an opening bracket, a separator or a keyword. */
const BEFORE_VALUE =
  /(?:^|[\s([{,;:=?&|+*%<>!~^/-])$|\b(?:return|await|yield|throw|case|in|of|and|or|not|import|from|raise|echo)\s*$/;
const HALF_CONDITIONAL = /(?<!\?)\?\s[^:]*$/;

/** Returns whether a string begins directly after the cursor, as when the user has gone back to it. */
export function isBeforeString(context: CompletionContext): boolean {
  const { open, lineBefore, lineAfter, languageId, openAtLineStart } = cursorSyntax(context);
  const quotes = QUOTES.exec(lineAfter)?.[0];
  if (quotes === undefined || open.some(isText)) return false;
  const embedded = open.findLast(({ kind }) => kind === 'embedded')?.region?.languageId;
  // In prose, only the value of an attribute is a string.
  if (lexicalRules(embedded ?? languageId).isProse === true && !/=\s*$/.test(lineBefore)) return false;
  // If the rest of the line has no other quote, this one ends the string that the text begins, or was just typed.
  const isClosed = quotes.length > 1 || lineAfter.includes(quotes, 1);
  if (!isClosed) return false;
  // An apostrophe can also begin a lifetime.
  if (languageId === 'rust' && /^'(?!(?:\\[^'\n]+|[^'\\\n])')/.test(lineAfter)) return false;
  const { events } = scan(`${lineBefore}${lineAfter}\n`, languageId, { from: 0, open: openAtLineStart });
  return !events.some(({ at }) => at === lineBefore.length);
}

export function keepStringsWhole(text: string, context: CompletionContext): string {
  if (text === '' || !isBeforeString(context)) return text;
  const isFitting = BEFORE_VALUE.test(text) && !HALF_CONDITIONAL.test(text) && !text.endsWith('\n');
  return isFitting ? text : '';
}
