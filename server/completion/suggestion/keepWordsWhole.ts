// Step: drops a suggestion within a word, and one that would join the word after the cursor, unless that makes a word
// of the document.
import type { CompletionContext } from '../prompt/context';
import { ENDS_IN_NAME, hasElements } from '../syntax/language';
import { isText } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';

/** Combining marks and zero-width joiners belong to the word around them. */
const WORDS = /[\p{ID_Continue}$\u200C\u200D]+/gu;
const START_OF_WORD = /^[\p{ID_Continue}$\u200C\u200D]+/u;
const END_OF_WORD = /[\p{ID_Continue}$\u200C\u200D]*$/u;

/** Returns whether the rest of a word follows the cursor. */
export function isBeforeWord({ lineAfter }: CompletionContext): boolean {
  return START_OF_WORD.test(lineAfter);
}

/** Also drops a text that ends a block directly before the rest of a word. */
export function keepWordsWhole(text: string, context: CompletionContext): string {
  const { prefix, suffix, lineBefore, lineAfter, languageId } = context;
  const rest = START_OF_WORD.exec(lineAfter)?.[0] ?? '';
  const isInWord = ENDS_IN_NAME.test(lineBefore);
  const isBlockEnd =
    text.endsWith('}') && !hasElements(languageId) && !cursorSyntax(context).open.some(isText);
  if (isBlockEnd && rest !== '') return '';
  if (text === '' || rest === '' || !(isInWord || ENDS_IN_NAME.test(text))) return text;
  const word = END_OF_WORD.exec(lineBefore + text)?.[0] ?? '';
  // In the middle of a word, the text has to be a part of it.
  const isWithinWord = !isInWord || word.length > text.length;
  const names: readonly string[] = `${prefix}\0${suffix}`.match(WORDS) ?? [];
  return isWithinWord && names.includes(word + rest) ? text : '';
}
