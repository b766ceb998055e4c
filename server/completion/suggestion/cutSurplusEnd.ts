// Step: cuts before a line that ends a block with a word, such as `end` or `fi`, or begins its `else`, if the cursor's
// line opens that block and the document below already has such a line.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { closesBlock } from '../syntax/language';

/** Matches the last line of a block. Other lines that close a block open another one of the same statement. */
const LAST = /^\s*(?:end|fi|done|esac|until)\b/i;
/** Matches the line that a statement can have only once. */
const ELSE = /^\s*else\b(?!\s*if\b)/i;

export function cutSurplusEnd(text: string, context: CompletionContext): string {
  const { lineBefore, lineAfter, suffix, languageId } = context;
  if (lineBefore.trim() === '' || !text.includes('\n')) return text;
  const { length: depth } = leadingSpace(lineBefore);
  const isOutside = (line: string): boolean => line.trim() !== '' && leadingSpace(line).length <= depth;
  const closes = (line: string): boolean =>
    leadingSpace(line).length === depth && closesBlock(line, languageId);
  const following = suffix.slice(lineAfter.length).split('\n').find(isOutside) ?? '';
  if (!closes(following)) return text;
  const lines = text.split('\n');
  const surplus = lines.findIndex(
    (line, i) => i > 0 && closes(line) && (LAST.test(line) || (ELSE.test(line) && ELSE.test(following))),
  );
  const isBlockOfCursor = !lines.slice(1, surplus).some((line) => isOutside(line) && !closes(line));
  return surplus > 0 && isBlockOfCursor ? lines.slice(0, surplus).join('\n') : text;
}
