// Suggestions that only fill a pause or are not complete, and are mostly wrong. They are not offered by themselves.
import { lastLine, type CompletionContext } from '../prompt/context';
import { isComment, opensBlock } from '../syntax/language';
import { copiesBody } from './copiesBody';

const EXTENDS_ITSELF =
  /\bclass\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\s*(?:extends\s+|\(\s*)\1(?![\p{L}\p{N}_$.])/u;
const IS_ITSELF = /^\s*(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*=\s*\1\s*;?$/u;
/** A line that goes on. */
const UNFINISHED = /[([{,:=+\-*/%&|<>?.\\]$|\b(?:and|or|not|in|is|return|else|of|typeof|new|await)$/;

export function isFiller(text: string, context: CompletionContext): boolean {
  const [first = ''] = (context.lineBefore + text).split('\n');
  return (
    EXTENDS_ITSELF.test(first) ||
    IS_ITSELF.test(first) ||
    isCommentAfterStatement(text, context) ||
    endsInOperator(text, context) ||
    copiesBody(text, context)
  );
}

/** Only a comment, where none was begun and a statement has ended. */
function isCommentAfterStatement(
  text: string,
  { prefix, lineBefore, languageId }: CompletionContext,
): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A star goes on with a comment, or is a product.
  const isStar = /^\s*\*/.test(text);
  if (isStar || !lines.every((line) => isComment(line, languageId))) return false;
  const last =
    lineBefore.trim() === '' ? lastLine(prefix.slice(0, prefix.length - lineBefore.length)) : lineBefore;
  if (isComment(last, languageId) || opensBlock(last, languageId)) return false;
  return last.trim() !== '' && !UNFINISHED.test(last.trim());
}

/** Operators that need another operand. A star or an ampersand can end a type, and `?` or `!` a value. */
const OPERATOR =
  /(?:\s(?:[-+/%=^|]|[=!<>]==?|&&|\|\||\?\?|\?|[-+*/%|&]=|<=|>=|=>|and|or|not|instanceof|in|is)|[?][^?:]*\s:)\s*$/;

/** Ends in an operator right before a closer, as in `${isOn ? 'on' : }`. */
function endsInOperator(text: string, { lineBefore, lineAfter }: CompletionContext): boolean {
  return /^\s*[)\]}]/.test(lineAfter) && OPERATOR.test(lineBefore + text);
}
