// Step: drops a suggestion that is only the mark of a comment, an operator or a separator. It says nothing.
import type { CompletionContext } from '../prompt/context';
import { comments, hasElements } from '../syntax/language';

/** Brackets, quotes, semicolons, colons, `...`, `++` and the `?` and `!` after a value end something that was begun. */
const LONE_MARK = /^(?:\/{2,3}!?|\/\*+!?(?:\s*\*\/)?|#+!?|<!--(?:\s*-->)?|\*+|\.{1,2}|[-+=&|<>@~^%\\$,/]+)$/;

export function dropLoneMarks(text: string, { languageId, lineBefore }: CompletionContext): string {
  const mark = text.trim();
  const isStep = mark === '++' || (mark === '--' && comments(languageId).line !== '--');
  if (isStep && /[\p{L}\p{N}_$)\]]$/u.test(lineBefore)) return text;
  const isTagEnd = /^\/?>$/.test(mark) && hasElements(languageId) && /<[^<>]*$/.test(lineBefore);
  const isCommentEnd = mark === '-->' || (mark === '/' && lineBefore.endsWith('*'));
  return LONE_MARK.test(mark) && !isTagEnd && !isCommentEnd ? '' : text;
}
