// How much a suggestion may be at a cursor: the rest of the line, or all of what the cursor opens.
// Decided by the line alone, so that it costs nothing and the person can foresee it.
import { isComment } from './comment';
import type { CompletionContext } from './context';

export type Multiline = 'auto' | 'never' | 'always';

/**
 * - line: up to the end of the line
 * - block: what the cursor's line opens, which is closed again or lies deeper
 * - paragraph: from an empty line on, until a blank line or a dedent
 * - rest: the same, but beyond single blank lines
 * - comment: up to the end of the comment or documentation string that the cursor opens
 */
export type Width = 'line' | 'block' | 'paragraph' | 'rest' | 'comment';

/** What the editor has closed by itself, and the end of a statement. */
const CLOSERS = /^[\s)\]}'"`;,:>]*$/;
const OPENS = /(?:[{([]|=>)$/;
const COLON_OPENS = new Set(['python', 'yaml', 'coffeescript', 'nim', 'gdscript']);
const WORD_OPENS = new Set(['ruby', 'lua', 'shellscript', 'elixir', 'julia', 'sql']);

export function width(context: CompletionContext, multiline: Multiline): Width {
  const { lineBefore, lineAfter, languageId } = context;
  if (multiline === 'never' || !CLOSERS.test(lineAfter)) return 'line';
  const before = lineBefore.trim();
  if (commentEnd(context) !== undefined) return 'comment';
  if (before === '') return 'paragraph';
  if (isComment(lineBefore, languageId)) return 'line';
  if (OPENS.test(before)) return 'block';
  if (COLON_OPENS.has(languageId) && before.endsWith(':')) return 'block';
  if (WORD_OPENS.has(languageId) && /\b(do|then|else|begin)$/i.test(before)) return 'block';
  return multiline === 'always' ? 'paragraph' : 'line';
}

/** What ends the comment or documentation string that the cursor's line opens. */
export function commentEnd({ lineBefore, languageId }: CompletionContext): string | undefined {
  const before = lineBefore.trim();
  if (languageId === 'python') return /^[rRuU]?("""|''')(?!.*\1)/.exec(before)?.[1];
  return /^\/\*\*(?!.*\*\/)/.test(before) ? '*/' : undefined;
}
