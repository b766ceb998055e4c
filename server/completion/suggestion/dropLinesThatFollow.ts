// Step: drops the first line that already follows the cursor's line, and all lines after it.
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { closesBlock, isAnnotation, opensBlock, VOID_ELEMENTS } from '../syntax/language';
import { cutBeforeLine } from './cutBeforeLine';

/** Lines that do not match, such as `});`, only end a block. They count as repeated only at the same indentation. */
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;

/** Matches a line that only begins an entry: an attribute, a tag of an element with content, or a comment's opener. */
const BEGINS_ENTRY = new RegExp(
  String.raw`^\s*(?:#\[.*\]|\[[A-Z]\w*(?:\(.*\))?\]|<(?!(?:${VOID_ELEMENTS})\b.*>)[A-Za-z](?:[^<>]*[^<>/])?>?|/\*\*?)\s*$`,
);
const OPENING_BRACKETS = /^\s*[([{]+\s*$/;
/** Matches a text that an item of a list can follow. */
const BEFORE_ITEM = /[,([{]\s*$/;
/** Matches a line of a block comment that does not describe the entry: a blank one, a tag, or the comment's end. */
const COMMENT_TAG = /^\s*\*(?:\/|\s*@\w.*)?\s*$/;

/**
 * Returns whether a line only begins an entry, such as a test or an item of a list, so that the entries around it can
 * begin with the same line. `before` is the text before the line.
 */
export function onlyBeginsEntry(line: string, before: string, languageId: string): boolean {
  return (
    BEGINS_ENTRY.test(line) ||
    isAnnotation(line, languageId) ||
    (OPENING_BRACKETS.test(line) && BEFORE_ITEM.test(before))
  );
}

export function dropLinesThatFollow(text: string, context: CompletionContext): string {
  const { lineAfter, languageId } = context;
  const next = nextLine(context);
  if (next === undefined) return text;
  // The rest of the line completes a text of one line.
  if (!text.includes('\n') && lineAfter.trim() !== '') return text;
  const isEnd = !SEVERAL_WORD_CHARACTERS.test(next) || closesBlock(next, languageId);
  const addsToLine = /^[ \t]*\S/.test(text);
  return cutBeforeLine(text, context, (line, at, lines) => {
    if (at === 0 && !addsToLine) return false;
    // Within a block, a line can equal the line after the block, at another indentation.
    const isSame =
      isEnd || isInBlock(lines.slice(0, at + 1), next, languageId) ? isSameWithIndentation : isSameText;
    return isSame(line, next) && !beginsOther(lines, at, context);
  });
}

/** Returns whether lines begin at `from` like those after the cursor's line, but then become another entry. */
function beginsOther(lines: readonly string[], from: number, context: CompletionContext): boolean {
  const { above, below, languageId } = context;
  const isFull = (line: string): boolean => line.trim() !== '';
  const [first = '', ...others] = lines.slice(from).filter(isFull);
  const following = below.split('\n').filter(isFull).slice(1);
  const at = others.findIndex((line, i) => !isSameText(line, following[i] ?? ''));
  const before = above + lines.slice(0, from).join('\n');
  return (
    at >= 0 &&
    onlyBeginsEntry(first, before, languageId) &&
    others.slice(0, at).every((line) => COMMENT_TAG.test(line))
  );
}

/** Returns whether the last line is deeper than an earlier one that opens a block, and `next` is not. */
function isInBlock(lines: readonly string[], next: string, languageId: string): boolean {
  const depth = leadingSpace(lines.at(-1) ?? '').length;
  // In YAML, items can have the column of the key that holds them.
  const nextDepth = leadingSpace(next).length + (languageId === 'yaml' && /^\s*- /.test(next) ? 1 : 0);
  return lines.slice(0, -1).some((line) => {
    const openerDepth = leadingSpace(line).length;
    return openerDepth < depth && nextDepth <= openerDepth && opensBlock(line, languageId);
  });
}

function isSameWithIndentation(line: string, next: string): boolean {
  return line.trimEnd() === next.trimEnd();
}

function isSameText(line: string, next: string): boolean {
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}
