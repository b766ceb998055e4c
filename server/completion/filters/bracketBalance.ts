// Cuts a suggestion before a closer that belongs to something outside of it, unless the text after the cursor
// lacks that closer.
import { brackets, bracketsIn, OPENER, unmatched } from '../brackets';
import { isComment } from '../comment';
import { nextLine, type CompletionContext } from '../context';

export function bracketBalance(text: string, context: CompletionContext): string {
  const { lineBefore, languageId } = context;
  if (isComment(lineBefore, languageId)) return text;
  // Read from the start of the line, as the cursor may be in a string.
  const own = bracketsIn(lineBefore + text, languageId).filter(({ at }) => at >= lineBefore.length);
  const outside = unmatched(own).closing;
  const first = outside.length === 0 ? undefined : outside[missingClosers(context)];
  return first === undefined ? text : text.slice(0, first.at - lineBefore.length);
}

/** How many brackets are open at the cursor that nothing after it closes. */
function missingClosers(context: CompletionContext): number {
  const { prefix, suffix, lineBefore, lineAfter, languageId, whole } = context;
  // In a part of a document the outermost brackets are unknown, so only what is next to the cursor counts.
  const before = whole ? prefix : lineBefore;
  const after = whole ? suffix : `${lineAfter}\n${nextLine(context) ?? ''}`;
  const open = brackets(before, languageId).open.map(({ character }) => character);
  let missing = 0;
  for (const { character } of brackets(after, languageId).closing) {
    const match = open.lastIndexOf(OPENER[character] ?? '');
    if (match < 0) continue;
    missing += open.length - 1 - match;
    open.length = match;
  }
  return missing + open.length;
}
