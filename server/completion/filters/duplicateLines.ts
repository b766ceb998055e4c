// Cuts a suggestion before the first line that already follows the cursor's line.
// Lines of brackets alone occur everywhere and count only with the same indentation.
import { nextLine, type CompletionContext } from '../context';

const TELLING = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;

export function duplicateLines(text: string, context: CompletionContext): string {
  const next = nextLine(context);
  if (next === undefined) return text;
  const { lineBefore } = context;
  let at = 0;
  for (const [i, own] of text.split('\n').entries()) {
    const line = i === 0 ? lineBefore + own : own;
    // The cursor's line alone is no line of the suggestion when it was there before.
    if (own.trim() !== '' && equal(line, next)) return text.slice(0, Math.max(0, at - 1));
    at += own.length + 1;
  }
  return text;
}

function equal(line: string, next: string): boolean {
  if (!TELLING.test(next)) return line.trimEnd() === next.trimEnd();
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}
