// Step: removes text at the end that already follows the cursor: the rest of the line, or the next lines.
import { nextLine, type CompletionContext } from '../prompt/context';
import { hasElements } from '../syntax/language';
import { replacedAfterCursor } from './replacedClosers';

const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;
/** Matches text that begins with a closing bracket, or consists of quotes. */
const CLOSER = /^(?:[)\]}]|["'`]+$)/;
const ONE_WORD = /^[^\s,;()[\]{}]+$/;
/** Matches a line of a query that begins with a clause. */
const CLAUSE = /^(?:from|where|group by|having|order by|limit)\s/i;

export function removeSuffixOverlap(text: string, context: CompletionContext): string {
  const replaced = replacedAfterCursor(text, context);
  const suffix = context.suffix.slice(replaced);
  const rest = context.lineAfter.slice(replaced).trim();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd < 0 ? text : text.slice(0, lineEnd).trimEnd();
  // If the first line repeats the rest of the cursor's line, drop the lines after it too: they would push it down.
  if (lineEnd >= 0 && rest !== '' && firstLine.endsWith(rest) && isOverlap(firstLine, rest.length, context))
    return firstLine.slice(0, firstLine.length - rest.length);
  const trimmed = text.trimEnd();
  // A query can be written in one line or in several.
  const next = context.languageId === 'sql' && rest === '' ? nextLine(context)?.trim() : undefined;
  if (next !== undefined && CLAUSE.test(next) && trimmed.endsWith(` ${next}`))
    return trimmed.slice(0, -next.length).trimEnd();
  // Models do not always repeat white space between the cursor and the text after it.
  const lead = suffix.length - suffix.trimStart().length;
  for (const from of lead > 0 && rest !== '' ? [0, lead] : [0]) {
    const length = overlap(trimmed, suffix.slice(from), context);
    // A word can follow itself, as in `padding: 1em 1em`.
    const canFollow = from > 0 && length < rest.length && ONE_WORD.test(trimmed.slice(-length));
    if (length > 0 && !canFollow) return trimmed.slice(0, trimmed.length - length);
  }
  return text;
}

/** Returns the length of the longest end of the text with which the suffix begins, coincidences excluded. */
function overlap(text: string, suffix: string, context: CompletionContext): number {
  for (let length = Math.min(text.length, suffix.length); length > 0; length--)
    if (
      suffix.startsWith(text.slice(-length)) &&
      isOverlap(text, length, context) &&
      !endsInWord(suffix, length)
    )
      return length;
  return 0;
}

/** Returns whether offset `at` is within a word. */
function endsInWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}_$]{2}/u.test(text.slice(at - 1, at + 1));
}

/** Returns whether a text opens each angle bracket that it closes, as in `string, List<number>`. */
function opensAngles(text: string): boolean {
  const closerCount = text.match(/(?<![=-])>/g)?.length ?? 0;
  return closerCount <= (text.match(/</g)?.length ?? 0);
}

/** Returns whether the last `length` characters of a text are too many for a coincidence. */
function isOverlap(
  text: string,
  length: number,
  { lineBefore, lineAfter, languageId }: CompletionContext,
): boolean {
  const shared = text.slice(-length);
  // balanceBrackets decides about surplus brackets and quotes, and cutSurplusEndTags about surplus end tags.
  if (shared.trim() === '' || CLOSER.test(shared.trim())) return false;
  if (hasElements(languageId) && /^\s*<\//.test(shared)) return false;
  const isNeeded = opensAngles(text) || opensAngles(lineBefore + text + lineAfter);
  if (shared.trimStart().startsWith('>') && isNeeded) return false;
  return length === text.length || shared.length > 1 || !WORD_CHARACTER.test(shared);
}
