// Detects a suggestion that repeats the body of another function or test, word for word, below a different header.
import { lastLine, leadingSpace, outdented, type CompletionContext } from '../prompt/context';
import { closesBlock, opensBlock } from '../syntax/language';

/** Minimum lines of a copy. Shorter bodies can be equal by chance; only for tests, a single line is enough. */
const MIN_COPIED_LINES = 2;
/** Matches the call or the name that begins a test, or the attribute of a test function. */
const TEST_HEADER =
  /^\s*(?:(?:it|test|specify|Deno\.test|describe)(?:\.\w+)*\s*\(|(?:(?:async|public|private|final)\s+)*(?:def|fn|func|fun|void|function)\s+\w*[tT]est|(?:test|it|specify)\s+["']|#\[(?:\w+::)?test\b|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b)/;
/** Matches an attribute above a signature, such as `@Test` or `#[ignore]`. */
const ATTRIBUTE = /^\s*(?:@\w|#\[|\[\w)/;
/** Matches the header of a block within a function. Such blocks can be equal: error handling often is. */
const STATEMENT =
  /^\s*(?:[})]\s*)*(?:if|else|elif|elsif|unless|for|foreach|while|until|switch|match|case|try|catch|except|rescue|finally|with|do)\b/;
const CLOSING = /^[\s)\]};]*$/;

/** Returns whether the text repeats a body of the document; with `isPart`, whether it can still come to repeat one. */
export function copiesBody(text: string, context: CompletionContext, isPart = false): boolean {
  const { above, suffix, lineBefore, languageId } = context;
  const suggested = (lineBefore + text).trimEnd().split('\n');
  const at = suggested.findIndex((line) => opensBlock(line, languageId));
  const isBelowHeader = lineBefore.trim() === '' && opensBlock(lastLine(above), languageId);
  if (!isBelowHeader && at < 0) return false;
  const lines = above.trimEnd().split('\n');
  const linesToHeader = isBelowHeader ? lines : [...lines, ...suggested.slice(0, at + 1)];
  if (STATEMENT.test(linesToHeader.at(-1) ?? '')) return false;
  const body = bodyOf(isBelowHeader ? suggested : suggested.slice(at + 1), languageId);
  const minLines = isPart || isTest(linesToHeader, linesToHeader.length - 1) ? 1 : MIN_COPIED_LINES;
  if (body.length < minLines || !/[\p{L}\p{N}]/u.test(body.join(''))) return false;
  // The last line above is the header of the suggestion itself.
  const searched = isBelowHeader ? lines.slice(0, -1) : above.split('\n');
  return [searched, suffix.split('\n')].some((side) => hasBody(side, body, languageId, isPart));
}

/** Returns whether the header that ends with line `at`, perhaps below attributes, begins a test. */
function isTest(lines: readonly string[], at: number): boolean {
  let i = lines[at]?.trim() === '{' ? at - 1 : at;
  while (!TEST_HEADER.test(lines[i] ?? '')) {
    i -= 1;
    if (!ATTRIBUTE.test(lines[i] ?? '')) return false;
  }
  return true;
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

/**
 * Returns whether the lines contain a block whose body begins with `body`. A single line, unless it is a part, must be
 * the whole body of a test.
 */
function hasBody(
  lines: readonly string[],
  body: readonly string[],
  languageId: string,
  isPart: boolean,
): boolean {
  return lines.some((line, i) => {
    if (!opensBlock(line, languageId)) return false;
    const first = lines[i + 1] ?? '';
    const isBodyLonger = leadingSpace(lines[i + 1 + body.length] ?? '').length >= leadingSpace(first).length;
    const isShort = body.length < MIN_COPIED_LINES && !isPart;
    if (isShort && (isBodyLonger || !isTest(lines, i))) return false;
    const candidate = unindented(lines.slice(i + 1, i + 1 + body.length));
    return candidate.length === body.length && candidate.every((content, at) => content === body[at]);
  });
}

/** Removes the indentation of the first line from all lines. */
function unindented(lines: readonly string[]): string[] {
  const { length } = leadingSpace(lines[0] ?? '');
  return lines.map((line) => outdented(line, length).trimEnd());
}
