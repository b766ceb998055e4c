// Step: drops a text directly before a string if the string cannot follow it, and the backslash of an incomplete escape
// before the closing quote. Between the quotes of a character, keeps only one character.
import type { CompletionContext } from '../prompt/context';
import { lexicalRules, NEVER } from '../syntax/lexicalRules';
import { isText, scan } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';

const QUOTES = /^[$@#]*["'`]+/;
/** Matches a text that a value can follow: it ends with an operator, an opening bracket, a separator or a keyword. */
const BEFORE_VALUE =
  /(?:^|[\s([{,;:=?&|+*%<>!~^/-])$|\b(?:return|await|yield|throw|case|in|of|and|or|not|import|from|raise|echo)\s*$/;
const HALF_CONDITIONAL = /(?<!\?)\?\s[^:]*$/;
/** Languages in which single quotes enclose one character, never a string. */
const CHARACTER_LANGUAGES = new Set('c cpp csharp go java julia kotlin rust scala'.split(' '));
const CHARACTER = /^(?:\\(?:u\{[\da-f]*\}|u[\da-f]{4}|x[\da-f]{2}|.)|[^\\'\n])(?='|$)/iu;

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
  const lineScan = scan(`${lineBefore}${lineAfter}\n`, languageId, { from: 0, open: openAtLineStart });
  // An apostrophe can also begin a lifetime.
  if (languageId === 'rust' && /^'(?!(?:\\[^'\n]+|[^'\\\n])')/.test(lineAfter)) return false;
  return !lineScan.events.some(({ at }) => at === lineBefore.length);
}

/** Keeps a text before a string only if the string can follow it. */
export function keepStringsWhole(text: string, context: CompletionContext): string {
  const complete = withoutHalfEscape(withinCharacter(text, context), context);
  if (complete === '' || !isBeforeString(context)) return complete;
  const isFitting =
    BEFORE_VALUE.test(complete) && !HALF_CONDITIONAL.test(complete) && !complete.endsWith('\n');
  return isFitting ? complete : '';
}

/** Returns only one character if the cursor is between two quotes that enclose one. */
function withinCharacter(text: string, context: CompletionContext): string {
  const { languageId, lineBefore, lineAfter } = context;
  const isQuoted = /(?<![\p{ID_Continue}'\\])b?'$/u.test(lineBefore) && lineAfter.startsWith("'");
  // In comments and strings, single quotes enclose any text.
  const isWithin =
    isQuoted && !cursorSyntax(context).open.some((open) => isText(open) && open.closer !== "'");
  return isWithin && CHARACTER_LANGUAGES.has(languageId) ? (CHARACTER.exec(text)?.[0] ?? '') : text;
}

/** Removes a backslash that would escape the quote after the cursor. A string without escapes keeps it. */
function withoutHalfEscape(text: string, context: CompletionContext): string {
  const { open, lineBefore, lineAfter } = cursorSyntax(context);
  const slashes = /\\*$/.exec(lineBefore + text)?.[0].length ?? 0;
  const isRaw = open.findLast(isText)?.region?.skipped === NEVER;
  return slashes % 2 === 1 && text.endsWith('\\') && /^["'`]/.test(lineAfter) && !isRaw
    ? text.slice(0, -1)
    : text;
}
