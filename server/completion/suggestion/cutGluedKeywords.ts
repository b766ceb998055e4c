// Step: cuts before a statement whose keyword is glued to a name of the document, as in `returnparcel, nil`.
import type { CompletionContext } from '../prompt/context';
import { cutBeforeLine } from './cutBeforeLine';

const KEYWORDS =
  'return|await|yield|throw|raise|defer|delete|import|const|let|var|case|typeof|export|elif|else|assert|echo|print';
/** Matches a glued word at the start of a statement, unless a value is assigned to it: that can be a new name. */
const GLUED = new RegExp(
  String.raw`(?:^|[;{}]|=>|\b(?:await|return|else))[ \t]*(?!(?:const(?:eval|expr|init)|elseif|println|vararg)\b)((?:${KEYWORDS})([a-z][\w$]*))(?![\w$]|\s*[=:](?!=))`,
  'g',
);

/** Cuts before the first line with such a statement. */
export function cutGluedKeywords(text: string, context: CompletionContext): string {
  const { above, suffix, lineBefore } = context;
  const names = new Set(`${above}\0${suffix}`.match(/[\w$]+/g));
  const isGlued = (line: string, from: number): boolean =>
    [...line.matchAll(GLUED)].some(({ 0: all, 1: word = '', 2: name = '', index }) => {
      const isInText = index + all.length > from;
      return isInText && name.length > 1 && names.has(name) && !names.has(word);
    });
  return cutBeforeLine(text, context, (line, at) => isGlued(line, at === 0 ? lineBefore.length : 0));
}
