// Step: drops a suggestion that consists of a comment mark, an operator or a separator alone.
import type { CompletionContext } from '../prompt/context';
import { comments, hasElements } from '../syntax/language';
import { cursorSyntax } from './cursorSyntax';

/**
 * Matches a comment mark, an operator or a separator, but no bracket, quote, semicolon, colon, `...`, `?` or `!`: these
 * can complete code before the cursor.
 */
const LONE_MARK = /^(?:\/{2,3}!?|\/\*+!?(?:\s*\*\/)?|#+!?|<!--(?:\s*-->)?|\*+|\.{1,2}|[-+=&|<>@~^%\\$,/]+)$/;

/** Returns '' for a lone mark that completes nothing before the cursor. In a string, it can be the whole content. */
export function dropLoneMarks(text: string, context: CompletionContext): string {
  const { languageId, lineBefore, lineAfter } = context;
  if (cursorSyntax(context).open.at(-1)?.kind === 'string' && lineAfter !== '') return text;
  const mark = text.trim();
  const isIncrement = mark === '++' || (mark === '--' && comments(languageId).line !== '--');
  if (isIncrement && /[\p{L}\p{N}_$)\]]$/u.test(lineBefore)) return text;
  const isTagEnd = /^\/?>$/.test(mark) && hasElements(languageId) && /<[^<>]*$/.test(lineBefore);
  const isCommentEnd = mark === '-->' || (mark === '/' && lineBefore.endsWith('*'));
  return LONE_MARK.test(mark) && !isTagEnd && !isCommentEnd ? '' : text;
}
