// Step: drops a backslash at the end that would escape the quote after the cursor.
import type { CompletionContext } from '../prompt/context';
import { NEVER } from '../syntax/lexicalRules';
import { isText } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';

/** A string without escapes keeps the backslash. */
export function dropHalfEscape(text: string, context: CompletionContext): string {
  const { open, lineBefore, lineAfter } = cursorSyntax(context);
  const slashes = /\\*$/.exec(lineBefore + text)?.[0].length ?? 0;
  const isRaw = open.findLast(isText)?.region.skipped === NEVER;
  return slashes % 2 === 1 && text.endsWith('\\') && /^["'`]/.test(lineAfter) && !isRaw
    ? text.slice(0, -1)
    : text;
}
