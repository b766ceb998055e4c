// Detects a suggestion that repeats the body of another function or test, word for word, below a different header.
import { leadingSpace, lastLine, type CompletionContext } from '../prompt/context';
import { closesBlock, opensBlock } from '../syntax/language';

/** Minimum lines of a copy: fewer can be equal by chance, except in tests, of which no two are equal. */
const LINES_OF_A_COPY = 2;
const TEST_HEADER =
  /^\s*(?:(?:it|test|specify|Deno\.test|describe)(?:\.\w+)*\s*\(|(?:async\s+)?(?:def|fn|func|fun|void|function)\s+\w*[tT]est|(?:test|it)\s+["'])/;
const CLOSING = /^[\s)\]};]*$/;

/** Whether the text repeats a body of the document. */
export function copiesBody(text: string, context: CompletionContext): boolean {
  const { prefix, suffix, lineBefore, languageId } = context;
  const own = (lineBefore + text).trimEnd().split('\n');
  const above = prefix.slice(0, prefix.length - lineBefore.length);
  const at = own.findIndex((line) => opensBlock(line, languageId));
  const isBelowHeader = lineBefore.trim() === '' && opensBlock(lastLine(above), languageId);
  const header = isBelowHeader ? lastLine(above) : (own[at] ?? '');
  if (!isBelowHeader && at < 0) return false;
  const body = bodyOf(isBelowHeader ? own : own.slice(at + 1), languageId);
  const least = TEST_HEADER.test(header) ? 1 : LINES_OF_A_COPY;
  if (body.length < least || !/[\p{L}\p{N}]/u.test(body.join(''))) return false;
  // The suggestion's own header is the last line above.
  const others = isBelowHeader ? above.slice(0, above.trimEnd().lastIndexOf('\n') + 1) : above;
  return [others, suffix].some((side) => hasBody(side.split('\n'), body, languageId));
}

/** Returns the lines up to the end of the block, without the indentation of the first one. */
function bodyOf(lines: readonly string[], languageId: string): string[] {
  const depth = leadingSpace(lines[0] ?? '').length;
  const end = lines.findIndex(
    (line) =>
      line.trim() !== '' &&
      (leadingSpace(line).length < depth ||
        (depth === 0 && (CLOSING.test(line) || closesBlock(line, languageId)))),
  );
  return unindented(end < 0 ? lines : lines.slice(0, end));
}

/** Whether the lines contain a block with this body. */
function hasBody(lines: readonly string[], body: readonly string[], languageId: string): boolean {
  return lines.some((line, i) => {
    if (!opensBlock(line, languageId)) return false;
    const first = lines[i + 1] ?? '';
    const isLonger = leadingSpace(lines[i + 1 + body.length] ?? '').length >= leadingSpace(first).length;
    if (body.length < LINES_OF_A_COPY && (!TEST_HEADER.test(line) || isLonger)) return false;
    const own = unindented(lines.slice(i + 1, i + 1 + body.length));
    return own.length === body.length && own.every((each, at) => each === body[at]);
  });
}

/** Removes the indentation of the first line from all lines. */
function unindented(lines: readonly string[]): string[] {
  const { length } = leadingSpace(lines[0] ?? '');
  return lines.map((line) => line.slice(Math.min(length, leadingSpace(line).length)).trimEnd());
}
