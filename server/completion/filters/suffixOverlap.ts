// Takes from the end of a suggestion what already stands after the cursor: the rest of the line, or closing
// quotes and separators that the editor has put there.
import type { CompletionContext } from '../context';

const WORD = /[\p{L}\p{N}_$]/u;
const CLOSER = /^[)\]}]/;

export function suffixOverlap(text: string, { suffix, lineAfter }: CompletionContext): string {
  const rest = lineAfter.trim();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd < 0 ? text : text.slice(0, lineEnd).trimEnd();
  // More lines after a repeated rest would tear it off.
  if (lineEnd >= 0 && rest !== '' && firstLine.endsWith(rest) && overlaps(firstLine, rest.length))
    return firstLine.slice(0, firstLine.length - rest.length);
  const trimmed = text.trimEnd();
  // The white space between the cursor and what follows is not always repeated.
  const lead = suffix.length - suffix.trimStart().length;
  for (const from of lead > 0 && rest !== '' ? [0, lead] : [0]) {
    const length = overlap(trimmed, suffix.slice(from));
    if (length > 0) return trimmed.slice(0, trimmed.length - length);
  }
  return text;
}

/** The longest end of the text with which the suffix begins and that is no coincidence. */
function overlap(text: string, suffix: string): number {
  for (let length = Math.min(text.length, suffix.length); length > 0; length--)
    if (suffix.startsWith(text.slice(-length)) && overlaps(text, length)) return length;
  return 0;
}

function overlaps(text: string, length: number): boolean {
  const shared = text.slice(-length);
  // Whether a lone bracket is one too many is for bracketBalance to say.
  if (shared.trim() === '' || CLOSER.test(shared.trim())) return false;
  return length === text.length || shared.length > 1 || !WORD.test(shared);
}
