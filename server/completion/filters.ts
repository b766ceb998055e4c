// The filters that clean a suggestion, in order. Each takes a text and the cursor and returns what stays; an empty text
// means no suggestion.
import { brackets, bracketsIn, unmatched } from './brackets';
import { leadingSpace, nextLine, type CompletionContext } from './context';
import { isComment, opensBlock } from './language';
import { runsOn } from './runsOn';

export type Filter = (text: string, context: CompletionContext) => string;

/** Lines with only brackets occur everywhere, so they are equal only at the same indentation. */
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;
const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;
const CLOSER = /^[)\]}]/;

/** Indentation comes before the comparison of lines, and brackets are cut before the quotes that they leave behind. */
export const filterList: readonly Filter[] = [
  indentation,
  repetition,
  duplicateLines,
  bracketBalance,
  suffixOverlap,
  trailingWhitespace,
];

export function filtered(text: string, context: CompletionContext): string {
  return filterList.reduce((rest, filter) => filter(rest, context), text);
}

/** Converts indentation to the document's tabs or spaces, without repeating it where the cursor is already indented. */
export function indentation(text: string, context: CompletionContext): string {
  return sameUnit(withoutDoubled(text, context), context);
}

/** A model that starts the line over repeats the indentation before the cursor. */
function withoutDoubled(text: string, { prefix, lineBefore, unit }: CompletionContext): string {
  const lead = leadingSpace(text);
  const whole = text.trim() !== '' && text[lead.length] !== '\n';
  if (lead === '' || lineBefore === '' || lineBefore.trim() !== '' || !whole) return text;
  const previous = /^.*\S.*$/m.exec(prefix.split('\n').slice(0, -1).reverse().join('\n'))?.[0] ?? '';
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
export function repetition(text: string, { prefix }: CompletionContext): string {
  for (const { index } of text.matchAll(/\n|$/g)) {
    const cut = runsOn(text.slice(0, index), prefix);
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
  const known = lines.findIndex((own, i) => {
    const line = whole[i] ?? '';
    // What stands after a block may be said in it, too.
    const same = isInBlock(whole.slice(0, i + 1), context.languageId) ? sameAsItIs : sameLine;
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
  if (!SEVERAL_WORD_CHARACTERS.test(next)) return sameAsItIs(line, next);
  return line.trim().replace(/\s+/g, ' ') === next.trim().replace(/\s+/g, ' ');
}

/** Cuts before a closer whose opener is outside the text, unless the document lacks that closer. */
export function bracketBalance(text: string, context: CompletionContext): string {
  const { lineBefore, languageId } = context;
  if (isComment(lineBefore, languageId)) return text;
  // Read from the start of the line, as the cursor may be in a string.
  const own = bracketsIn(lineBefore + text, languageId).filter(({ at }) => at >= lineBefore.length);
  const outside = unmatched(own).closing;
  if (closedBehind(text, context) > 0) return text;
  const first = outside.length === 0 ? undefined : outside[missingClosers(context)];
  return first === undefined ? text : text.slice(0, first.at - lineBefore.length);
}

/**
 * How many characters behind the cursor a text replaces: the brackets that an editor closes by itself, where a text of
 * several lines closes the same ones and goes on.
 */
export function closedBehind(text: string, { lineBefore, lineAfter, languageId }: CompletionContext) {
  const closed = /^[)\]}]+[;,]?\s*$/.test(lineAfter) ? lineAfter.trim() : '';
  if (closed === '' || !text.includes('\n')) return 0;
  const { closing } = unmatched(
    bracketsIn(lineBefore + text, languageId).filter(({ at }) => at >= lineBefore.length),
  );
  const characters = closing.map(({ character }) => character).join('');
  const last = closing.at(-1);
  if (last === undefined || characters !== closed.replace(/[;,]$/, '')) return 0;
  const rest = text.slice(last.at - lineBefore.length + 1).trim();
  const end = closed.slice(characters.length);
  return rest !== end && rest.startsWith(end) ? closed.length : 0;
}

/** How many brackets open at the cursor are not closed after it. */
function missingClosers(context: CompletionContext): number {
  const { prefix, suffix, lineBefore, lineAfter, languageId, whole } = context;
  // In part of a document the outermost brackets are unknown, so only those next to the cursor count.
  const before = whole ? prefix : lineBefore;
  const after = whole ? suffix : `${lineAfter}\n${nextLine(context) ?? ''}`;
  const { open } = brackets(before, languageId);
  const { closing } = brackets(after, languageId);
  return open.length - (closing.length - unmatched([...open, ...closing]).closing.length);
}

/** Removes from the end what already follows the cursor: the rest of the line, or quotes inserted by the editor. */
export function suffixOverlap(text: string, { suffix, lineAfter }: CompletionContext): string {
  const rest = lineAfter.trim();
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
    if (suffix.startsWith(text.slice(-length)) && isOverlap(text, length)) return length;
  return 0;
}

function isOverlap(text: string, length: number): boolean {
  const shared = text.slice(-length);
  // bracketBalance decides whether a lone bracket is one too many.
  if (shared.trim() === '' || CLOSER.test(shared.trim())) return false;
  return length === text.length || shared.length > 1 || !WORD_CHARACTER.test(shared);
}

/** Removes white space from the end, unless text after the cursor moves to the new line. */
export function trailingWhitespace(text: string, { lineAfter }: CompletionContext): string {
  const body = text.trimEnd();
  if (body === '') return '';
  const end = text.slice(body.length);
  if (lineAfter.trim() === '' || lineAfter.startsWith(' ')) return body;
  // One new line at most; blank lines before a closer help nobody.
  const newLine = end.lastIndexOf('\n');
  return body + (newLine < 0 ? end : end.slice(newLine));
}
