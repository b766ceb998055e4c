// Detects fillers: lone comments, texts that end in an operator before a closer, and copies of the body of another
// function. They are mostly wrong, so automatic requests do not show them.
import { lastLine, type CompletionContext } from '../prompt/context';
import { isComment, opensBlock } from '../syntax/language';
import { copiesBody } from './copiesBody';

/** Matches the end of a line whose statement continues in the next one. */
const UNFINISHED = /[([{,:=+\-*/%&|<>?.\\]$|\b(?:and|or|not|in|is|return|else|of|typeof|new|await)$/;

/**
 * Returns whether a suggestion is a filler. With `isPart`, the text still grows, and it also counts as a filler if it
 * can become a copy of a body.
 */
export function isFiller(text: string, context: CompletionContext, isPart = false): boolean {
  return (
    isCommentAfterStatement(text, context) ||
    endsInOperator(text, context) ||
    copiesBody(text, context, isPart)
  );
}

/** Returns whether the text is only a comment after a complete statement, and does not continue a comment. */
function isCommentAfterStatement(text: string, { prefix, languageId }: CompletionContext): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A star can continue a block comment, or be a multiplication.
  const isStar = /^\s*\*/.test(text);
  if (text === '' || isStar || !lines.every((line) => isComment(line, languageId))) return false;
  const last = lastLine(prefix);
  if (isComment(last, languageId) || opensBlock(last, languageId)) return false;
  return last !== '' && !UNFINISHED.test(last);
}

/**
 * Matches an operator that needs another operand. Does not match `*` and `&`, which can end a type, nor `!` and a `?`
 * without white space before it, which can end a value.
 */
const OPERATOR =
  /(?:\s(?:[-+/%=^|]|[=!<>]==?|&&|\|\||\?\?|\?|[-+*/%|&]=|<=|>=|=>|and|or|not|instanceof|in|is)|[?][^?:]*\s:)\s*$/;

/** Returns whether the text ends in an operator directly before a closer, as in `${isOn ? 'on' : }`. */
function endsInOperator(text: string, { lineBefore, lineAfter }: CompletionContext): boolean {
  return /^\s*[)\]}]/.test(lineAfter) && OPERATOR.test(lineBefore + text);
}
