// Suggestions that only fill a pause, and are mostly wrong. They are not offered by themselves.
import { lastLine, leadingSpace, type CompletionContext } from '../prompt/context';
import { isComment, opensBlock } from '../syntax/language';

const EXTENDS_ITSELF =
  /\bclass\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\s*(?:extends\s+|\(\s*)\1(?![\p{L}\p{N}_$.])/u;
const IS_ITSELF = /^\s*(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*=\s*\1\s*;?$/u;
/** A line that goes on. */
const UNFINISHED = /[([{,:=+\-*/%&|<>?.\\]$|\b(?:and|or|not|in|is|return|else|of|typeof|new|await)$/;
/** Fewer lines may be alike by chance. */
const LINES_OF_A_COPY = 2;

export function isFiller(text: string, context: CompletionContext): boolean {
  const [first = ''] = (context.lineBefore + text).split('\n');
  return (
    EXTENDS_ITSELF.test(first) ||
    IS_ITSELF.test(first) ||
    isCommentAfterStatement(text, context) ||
    isBodyOfAnother(text, context)
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

/** The same lines stand below another header: what follows this one is something else. */
function isBodyOfAnother(
  text: string,
  { prefix, suffix, lineBefore, languageId }: CompletionContext,
): boolean {
  if (lineBefore.trim() !== '') return false;
  const body = unindented((lineBefore + text).trimEnd().split('\n'));
  if (body.length < LINES_OF_A_COPY || !opensBlock(lastLine(prefix), languageId)) return false;
  return [prefix, suffix].some((side) => {
    const lines = side.split('\n');
    return lines.some((line, i) => {
      if (!opensBlock(line, languageId)) return false;
      const own = unindented(lines.slice(i + 1, i + 1 + body.length));
      return own.length === body.length && own.every((each, at) => each === body[at]);
    });
  });
}

/** Without the indentation of the first line. */
function unindented(lines: readonly string[]): string[] {
  const { length } = leadingSpace(lines[0] ?? '');
  return lines.map((line) => line.slice(Math.min(length, leadingSpace(line).length)).trimEnd());
}
