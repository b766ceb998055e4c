// Step: removes text at the end that already follows the cursor: the rest of the line, or the next lines.
import type { CompletionContext } from '../prompt/context';
import { balanceBrackets } from './balanceBrackets';
import { replacedAfterCursor } from './replacedClosers';

const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;

const CLOSER = /^(?:[)\]}]|["'`]+$)/;

/** Removes the overlap, and balances brackets again if there was one. */
export function removeSuffixOverlap(text: string, context: CompletionContext, isPart = false): string {
  const kept = withoutOverlap(text, context);
  return kept === text ? text : balanceBrackets(kept, context, isPart);
}

function withoutOverlap(text: string, context: CompletionContext): string {
  const replaced = replacedAfterCursor(text, context);
  const suffix = context.suffix.slice(replaced);
  const rest = context.lineAfter.slice(replaced).trim();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd < 0 ? text : text.slice(0, lineEnd).trimEnd();
  // More lines after a repeated rest of the line would separate it.
  if (lineEnd >= 0 && rest !== '' && firstLine.endsWith(rest) && isOverlap(firstLine, rest.length))
    return firstLine.slice(0, firstLine.length - rest.length);
  const trimmed = text.trimEnd();
  // Models do not always repeat white space between the cursor and the text after it.
  const lead = suffix.length - suffix.trimStart().length;
  for (const from of lead > 0 && rest !== '' ? [0, lead] : [0]) {
    const length = overlap(trimmed, suffix.slice(from));
    if (length > 0) return trimmed.slice(0, trimmed.length - length);
  }
  return text;
}

/** Returns the length of the longest end of the text that the suffix starts with, unless it can be a coincidence. */
function overlap(text: string, suffix: string): number {
  for (let length = Math.min(text.length, suffix.length); length > 0; length--)
    if (suffix.startsWith(text.slice(-length)) && isOverlap(text, length) && !endsInWord(suffix, length))
      return length;
  return 0;
}

function endsInWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}_$]{2}/u.test(text.slice(at - 1, at + 1));
}

function isOverlap(text: string, length: number): boolean {
  const shared = text.slice(-length);
  // balanceBrackets decides whether a lone bracket or quote is a surplus one.
  if (shared.trim() === '' || CLOSER.test(shared.trim())) return false;
  return length === text.length || shared.length > 1 || !WORD_CHARACTER.test(shared);
}
