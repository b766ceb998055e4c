// The extent of a suggestion: how much it can span at its cursor. Only the cursor's line and the settings count, so that
// finding it costs nothing and users can predict it.
import type { ServerSettings } from '../../rules/serverSettings';
import type { CompletionContext } from '../prompt/context';
import { isBetweenTags, isComment, opensBlock } from '../syntax/language';
import { ONLY_CLOSERS } from './replacedClosers';

export type Multiline = ServerSettings['multiline'];

/**
 * How much a suggestion can span at a cursor:
 * - line: up to the end of the line, whatever it opens
 * - block: the line and the block that it opens, until that is closed or the indentation returns
 * - paragraph: until a dedent, two blank lines, or a blank line that no deeper line follows
 * - answer: like paragraph, but also across single blank lines until a block has ended, such as one function
 * - comment: up to the end of the comment or documentation string that the cursor opens
 */
export type Extent = 'line' | 'block' | 'paragraph' | 'answer' | 'comment';

/** Returns the extent at a cursor. */
export function extentAt(context: CompletionContext, multiline: Multiline): Extent {
  const { lineBefore, lineAfter, languageId } = context;
  const isBeforeClosers = ONLY_CLOSERS.test(lineAfter) || isBetweenTags(lineBefore, lineAfter, languageId);
  if (multiline === 'never' || !isBeforeClosers) return 'line';
  if (commentCloser(context) !== undefined) return 'comment';
  if (lineBefore.trim() === '') return 'paragraph';
  if (isComment(lineBefore, languageId)) return 'line';
  return multiline === 'auto' || opensBlock(lineBefore, languageId) ? 'block' : 'paragraph';
}

/** Returns the closer of the comment or documentation string that the cursor's line opens; undefined without one. */
export function commentCloser({ lineBefore, languageId }: CompletionContext): string | undefined {
  const before = lineBefore.trim();
  if (languageId === 'python') return /^[rRuU]?("""|''')(?!.*\1)/.exec(before)?.[1];
  return /^\/\*\*(?!.*\*\/)/.test(before) ? '*/' : undefined;
}
