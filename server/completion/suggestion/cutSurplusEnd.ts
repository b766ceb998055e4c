// Step: cuts before a line that ends a block with a word, such as `end` or `fi`, or begins its `else`, if the document
// below the cursor already has such a line for that block.
import { leadingSpace, type CompletionContext } from '../prompt/context';
import { closesBlock, endsBlock, hasElements, isElse } from '../syntax/language';
import { cutBeforeLine } from './cutBeforeLine';

export function cutSurplusEnd(text: string, context: CompletionContext): string {
  const { lineBefore, below, languageId } = context;
  // cutSurplusEndTags cuts surplus end tags.
  if (hasElements(languageId)) return text;
  const { length: depth } = leadingSpace(lineBefore);
  const isOutside = (line: string): boolean => line.trim() !== '' && leadingSpace(line).length <= depth;
  const closes = (line: string): boolean =>
    leadingSpace(line).length === depth && closesBlock(line, languageId);
  const following = below.split('\n').find(isOutside) ?? '';
  if (!closes(following)) return text;
  const isSurplus = (line: string): boolean =>
    closes(line) && (endsBlock(line, languageId) || (isElse(line) && isElse(following)));
  const opensOther = (line: string): boolean => isOutside(line) && !closes(line);
  // Code before the cursor opens the block; without any, a line above does.
  const first = lineBefore.trim() === '' ? 0 : 1;
  return cutBeforeLine(
    text,
    context,
    (line, at, lines) => at >= first && isSurplus(line) && !lines.slice(first, at).some(opensOther),
  );
}
