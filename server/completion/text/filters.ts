// The filters that clean a suggestion, in order. Each takes a text and the cursor and returns what stays; an empty text
// means no suggestion.
import { basename } from 'node:path';
import { bracketBalance, closedBehind } from './closers';
import { cursorSyntax } from './cursorSyntax';
import { leadingSpace, nextLine, type CompletionContext } from '../prompt/context';
import { closesBlock, elementsIn, ENDS_IN_NAME, hasElements, isComment, opensBlock } from './language';
import { runsOn } from './runsOn';
import { isText } from './scanner';

export type Filter = (text: string, context: CompletionContext, isPart?: boolean) => string;

/** Lines that only end a block occur everywhere, so they are equal only at the same indentation. */
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;
const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;
/** All that a comment says. */
const FILE_NAME = /^\W*(?:(?:file|path|filename)\s*:\s*)?(?:[\w.@-]+[\\/])*([\w.@-]+\.\w{1,8})\W*$/i;
const CLOSER = /^(?:[)\]}]|["'`]+$)/;

/** Indentation comes before the comparison of lines, and brackets are cut before the quotes that they leave behind. */
const filterList: readonly Filter[] = [
  indentation,
  repetition,
  duplicateLines,
  lastComma,
  bracketBalance,
  suffixOverlap,
  endTags,
  trailingWhitespace,
  otherFileName,
  wholeWords,
];

/** A part is the beginning of a text that still goes on. */
export function filtered(text: string, context: CompletionContext, isPart = false): string {
  return filterList.reduce((rest, filter) => filter(rest, context, isPart), text);
}

/** Converts indentation to the document's tabs or spaces, and does not repeat a blank that stands before the cursor. */
export function indentation(text: string, context: CompletionContext): string {
  const isAfterBlank = /\S[ \t]+$/.test(context.lineBefore);
  return sameUnit(isAfterBlank ? text.replace(/^[ \t]+/, '') : withoutDoubled(text, context), context);
}

/** A model that starts the line over repeats the indentation before the cursor. */
function withoutDoubled(text: string, { prefix, lineBefore, unit }: CompletionContext): string {
  const lead = leadingSpace(text);
  const whole = text.trim() !== '' && text[lead.length] !== '\n';
  if (lead === '' || lineBefore === '' || lineBefore.trim() !== '' || !whole) return text;
  const previous = lastLine(prefix.slice(0, prefix.length - lineBefore.length));
  const deeper = /(?:[{([:]|=>)\s*$/.test(previous);
  const expected = leadingSpace(previous).length + (deeper ? unit.length : 0);
  if (lineBefore.length < expected) return text;
  const [first = '', ...rest] = text.split('\n');
  const doubled = lineBefore.length + lead.length;
  const shift = rest.every((line) => line.trim() === '' || leadingSpace(line).length >= doubled);
  const lines = shift
    ? rest.map((line) => line.slice(Math.min(lead.length, leadingSpace(line).length)))
    : rest;
  return [first.slice(lead.length), ...lines].join('\n');
}

function sameUnit(text: string, { unit }: CompletionContext): string {
  const [first = '', ...rest] = text.split('\n');
  const spaces = rest.map(leadingSpace).filter((space) => /^ +$/.test(space));
  // The model's own step is the smallest; a single space is the star of a block comment.
  const step = Math.min(8, ...spaces.map(({ length }) => length).filter((length) => length > 1));
  const convert = (line: string): string => {
    const lead = leadingSpace(line);
    const body = line.slice(lead.length);
    if (unit !== '\t') return lead.replaceAll('\t', unit) + body;
    const columns = lead.replaceAll('\t', ' '.repeat(step)).length;
    return '\t'.repeat(Math.floor(columns / step)) + ' '.repeat(columns % step) + body;
  };
  return [first, ...rest.map(convert)].join('\n');
}

/** Cuts where a text starts to run on. */
export function repetition(text: string, context: CompletionContext): string {
  for (const { index } of text.matchAll(/\n|$/g)) {
    const cut = runsOn(text.slice(0, index), context);
    if (cut !== undefined) return text.slice(0, cut);
  }
  return text;
}

/** Cuts before the first line that already follows the cursor's line. */
export function duplicateLines(text: string, context: CompletionContext): string {
  const next = nextLine(context);
  if (next === undefined) return text;
  const lines = text.split('\n');
  // The cursor's line is not part of the suggestion if it was there before.
  const whole = lines.map((own, i) => (i === 0 ? context.lineBefore + own : own));
  const isEnd = !SEVERAL_WORD_CHARACTERS.test(next) || closesBlock(next, context.languageId);
  const known = lines.findIndex((own, i) => {
    const line = whole[i] ?? '';
    // What stands after a block may be said in it, too.
    const same = isEnd || isInBlock(whole.slice(0, i + 1), context.languageId) ? sameAsItIs : sameLine;
    return own.trim() !== '' && same(line, next);
  });
  return known < 0 ? text : lines.slice(0, known).join('\n');
}

/** Whether the last line lies deeper than one before it that opens a block. */
function isInBlock(lines: readonly string[], languageId: string): boolean {
  const depth = leadingSpace(lines.at(-1) ?? '').length;
  return lines.slice(0, -1).some((line) => leadingSpace(line).length < depth && opensBlock(line, languageId));
}

function sameAsItIs(line: string, next: string): boolean {
  return line.trimEnd() === next.trimEnd();
}

function sameLine(line: string, next: string): boolean {
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}

/** JSON has no comma behind the last of a list. */
export function lastComma(text: string, context: CompletionContext, isPart = false): string {
  if (isPart || !context.languageId.startsWith('json') || !/,\s*$/.test(text)) return text;
  const after = context.suffix.slice(closedBehind(text, context));
  return /^\s*[}\]]/.test(after) ? text.slice(0, text.lastIndexOf(',')) : text;
}

/** Removes from the end what already follows: the rest of the line, or the next lines. */
export function suffixOverlap(text: string, context: CompletionContext, isPart = false): string {
  const kept = withoutOverlap(text, context);
  return kept === text ? text : bracketBalance(kept, context, isPart);
}

function withoutOverlap(text: string, context: CompletionContext): string {
  const behind = closedBehind(text, context);
  const suffix = context.suffix.slice(behind);
  const rest = context.lineAfter.slice(behind).trim();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd < 0 ? text : text.slice(0, lineEnd).trimEnd();
  // More lines after a repeated rest of the line would separate it.
  if (lineEnd >= 0 && rest !== '' && firstLine.endsWith(rest) && isOverlap(firstLine, rest.length))
    return firstLine.slice(0, firstLine.length - rest.length);
  const trimmed = text.trimEnd();
  // White space between the cursor and what follows is not always repeated.
  const lead = suffix.length - suffix.trimStart().length;
  for (const from of lead > 0 && rest !== '' ? [0, lead] : [0]) {
    const length = overlap(trimmed, suffix.slice(from));
    if (length > 0) return trimmed.slice(0, trimmed.length - length);
  }
  return text;
}

/** The longest end of the text that the suffix starts with, unless that may be a coincidence. */
function overlap(text: string, suffix: string): number {
  for (let length = Math.min(text.length, suffix.length); length > 0; length--)
    if (suffix.startsWith(text.slice(-length)) && isOverlap(text, length) && !endsInWord(suffix, length))
      return length;
  return 0;
}

function endsInWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}_$]{2}/u.test(text.slice(at - 1, at + 1));
}

function isOverlap(text: string, length: number): boolean {
  const shared = text.slice(-length);
  // bracketBalance decides whether a lone bracket or quote is one too many.
  if (shared.trim() === '' || CLOSER.test(shared.trim())) return false;
  return length === text.length || shared.length > 1 || !WORD_CHARACTER.test(shared);
}

/** Cuts before an end tag that stands behind the cursor already, and goes on to the end of one that the text begins. */
export function endTags(text: string, context: CompletionContext): string {
  const { prefix, lineAfter, languageId } = context;
  if (!hasElements(languageId)) return text;
  const [, there] = /^\s*(<\/[^>]*>)/.exec(lineAfter) ?? [];
  const doubled = elementsIn(text).foreignEnds.find(
    (at) => there !== undefined && text.startsWith(there, at),
  );
  if (doubled !== undefined) return text.slice(0, doubled);
  const [half, begun = ''] = /<\/([\w.:-]*)$/.exec(text) ?? [];
  if (half === undefined || lineAfter.startsWith('>')) return text;
  const kept = text.slice(0, -half.length);
  const name =
    there === undefined && elementsIn(prefix + kept).open.findLast((each) => each.startsWith(begun));
  return name ? `${kept}</${name}>` : kept;
}

/** Removes white space from the end, unless text after the cursor moves to the new line. */
export function trailingWhitespace(text: string, context: CompletionContext): string {
  const body = text.trimEnd();
  if (body === '') return '';
  const lineAfter = context.lineAfter.slice(closedBehind(text, context));
  const end = text.slice(body.length);
  if (lineAfter.trim() === '' || lineAfter.startsWith(' ')) return body;
  // One new line at most; blank lines before a closer help nobody.
  const newLine = end.lastIndexOf('\n');
  return body + (newLine < 0 ? end : end.slice(newLine));
}

/** Cuts before the name of another file at the top of a document, as it stands above what a prompt quotes of that. */
export function otherFileName(text: string, context: CompletionContext): string {
  const { prefix, lineBefore, languageId, fileName } = context;
  if (prefix.trim() !== lineBefore.trim()) return text;
  const lines = text.split('\n');
  const other = lines.findIndex((own, i) => {
    const line = i === 0 ? lineBefore + own : own;
    const name = isComment(line, languageId) ? FILE_NAME.exec(line)?.[1] : undefined;
    return name !== undefined && name !== basename(fileName);
  });
  return other < 0 ? text : lines.slice(0, other).join('\n').trimEnd();
}

/** Only what makes a known name of the word that it joins may stand before the rest of a word, and no end of a block. */
export function wholeWords(text: string, context: CompletionContext): string {
  const { prefix, suffix, lineBefore, lineAfter, languageId } = context;
  const rest = /^[\p{L}\p{N}_$]+/u.exec(lineAfter)?.[0] ?? '';
  const isInWord = ENDS_IN_NAME.test(lineBefore);
  const isBlockEnd =
    text.endsWith('}') && !hasElements(languageId) && !cursorSyntax(context).open.some(isText);
  if (isBlockEnd && rest !== '') return '';
  if (text === '' || rest === '' || !(isInWord || ENDS_IN_NAME.test(text))) return text;
  const word = /[\p{L}\p{N}_$]*$/u.exec(lineBefore + text)?.[0] ?? '';
  const goesOn = !isInWord || word.length > text.length;
  const names: readonly string[] = `${prefix}\0${suffix}`.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return goesOn && names.includes(word + rest) ? text : '';
}

// Suggestions that only fill a pause: nobody waits for them, and most are wrong. They are not offered by themselves.

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

function lastLine(text: string): string {
  const body = text.trimEnd();
  return body.slice(body.lastIndexOf('\n') + 1);
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
