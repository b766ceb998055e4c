// Step: keeps only one character between the quotes of a character literal.
import type { CompletionContext } from '../prompt/context';
import { hasCharacterLiterals } from '../syntax/language';
import { isText } from '../syntax/scanner';
import { cursorSyntax } from './cursorSyntax';

const CHARACTER = /^(?:\\(?:u\{[\da-f]*\}|u[\da-f]{4}|x[\da-f]{2}|.)|[^\\'\n])(?='|$)/iu;

/**
 * Between the quotes of an empty character literal, keeps the first character of the text if the text then ends or
 * continues with a quote, and drops the text otherwise.
 */
export function keepOneCharacter(text: string, context: CompletionContext): string {
  const { languageId, lineBefore, lineAfter } = context;
  const isQuoted = /(?<![\p{ID_Continue}'\\])b?'$/u.test(lineBefore) && lineAfter.startsWith("'");
  // In comments and strings, single quotes enclose any text.
  const isWithin =
    isQuoted && !cursorSyntax(context).open.some((open) => isText(open) && open.closer !== "'");
  return isWithin && hasCharacterLiterals(languageId) ? (CHARACTER.exec(text)?.[0] ?? '') : text;
}
