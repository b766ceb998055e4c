// Detects a text that runs on: it repeats lines, numbered lines or items of a list again and again. The text can be cut
// between lines, or between items of a list if that leaves no delimiter open.
import type { CompletionContext } from '../prompt/context';
import { cursorSyntax } from './cursorSyntax';
import { scanWithText } from './textSyntax';

/** Number of equal lines that run on, and of the items after which a list that runs on is cut. */
export const MAX_REPEATS = 3;
/** Maximum items of a list that begins within the text: a list of a few items can be intended. */
const MAX_NEW_ITEMS = 10;
/**
 * Number of different pieces that makes an item long; two different words also do. Lists rarely repeat long items on
 * purpose.
 */
const LONG_ITEM = 4;
/** Maximum lines of a repeated pattern. */
const MAX_CYCLE_LINES = 8;
/** Maximum pieces of a repeated item. */
const MAX_UNIT_PIECES = 24;
/** Characters above the cursor's line in which a repetition can have begun. */
const MAX_ABOVE = 4000;

/** Matches the pieces of a line: numbers, words, and other single characters. */
const PIECES = /0x[\da-f]+|\d+(?:\.\d+)?|[\p{L}_$]+|[^]/giu;
const LETTER = /\p{L}/u;
/** Matches content. Text without it, such as a line of dashes, can repeat itself. */
const HAS_CONTENT = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
const SEPARATOR = /^[\s,;|&+]$/;
const SEPARATORS_AT_END = /[\s,;|&+]+$/;

/**
 * Returns the length to keep of a text that runs on in its last line; undefined if it does not run on. `isComplete`
 * says whether the last line is complete; `maxNewItems` is the maximum number of items of a list that begins within
 * the text.
 */
export function runsOn(
  text: string,
  context: CompletionContext,
  isComplete = true,
  maxNewItems = MAX_NEW_ITEMS,
): number | undefined {
  const { lineBefore, above } = context;
  const lines = text.split('\n');
  const lead = lines.length === 1 ? lineBefore : '';
  const start = text.lastIndexOf('\n') + 1;
  const line = { text: lead + text.slice(start), from: lead.length };
  const isClosed = (end: number): boolean =>
    closesAllItOpens(text.slice(0, start + end - lead.length), start, context);
  const end = listCut(line, isComplete, maxNewItems, isClosed);
  if (end !== undefined) return end > lead.length ? start + end - lead.length : Math.max(0, start - 1);
  if (!isComplete) return undefined;
  const kept = linesKept([lineBefore + (lines[0] ?? ''), ...lines.slice(1)], above);
  return kept === undefined ? undefined : lines.slice(0, kept).join('\n').length;
}

/** Returns whether a text closes all delimiters that it opens after offset `from`. */
function closesAllItOpens(text: string, from: number, context: CompletionContext): boolean {
  const { open } = scanWithText(text, cursorSyntax(context));
  const start = context.lineBefore.length + from;
  return open.every(({ at, kind }) => at < start || kind === 'lineComment');
}

/** Returns the number of lines to keep if the last one completes a repetition; undefined otherwise. */
function linesKept(lines: readonly string[], above: string): number | undefined {
  const linesAbove = above
    .slice(-MAX_ABOVE)
    .split('\n')
    .slice(0, -1)
    .slice(-MAX_CYCLE_LINES * (MAX_REPEATS - 1));
  const withAbove = [...linesAbove, ...lines].map((line) => line.trimEnd());
  const shapes = lines.map((line) => line.trimEnd().replace(/\d+/g, '0'));
  for (let cycle = 1; cycle <= MAX_CYCLE_LINES; cycle++) {
    // The first occurrence stays, unless it is above the cursor.
    if (repeats(withAbove, cycle, MAX_REPEATS * cycle, LETTER))
      return Math.max(0, lines.length - (MAX_REPEATS - 1) * cycle);
    // A few lines that count up can be intended; so can twice as many lines that differ only in their numbers.
    if (lastLinesCountUp(lines, cycle) || repeats(shapes, cycle, 2 * MAX_REPEATS * cycle + 1, HAS_CONTENT))
      return lines.length - 1;
  }
  return undefined;
}

/** Returns whether the last lines count up: each differs from the line `cycle` lines above it by the same steps. */
function lastLinesCountUp(lines: readonly string[], cycle: number): boolean {
  const last = lines.slice(-MAX_REPEATS * cycle - 1).map((line) => piecesOf(line.trimEnd()));
  const steps = last.slice(cycle).map((pieces, i) => {
    const from = last[i] ?? [];
    const stepsHere = pieces.map((piece, j) => step(from[j], piece));
    return from.length === pieces.length && !stepsHere.includes(undefined) ? stepsHere.join() : undefined;
  });
  return (
    last.length > MAX_REPEATS * cycle &&
    steps.every((difference, i) => difference !== undefined && difference === steps[i % cycle]) &&
    last.flat().some(({ text }) => HAS_CONTENT.test(text))
  );
}

/** Returns whether the last `count` lines repeat every `cycle` lines. */
function repeats(lines: readonly string[], cycle: number, count: number, content: RegExp): boolean {
  const last = lines.slice(-count);
  return (
    last.length === count &&
    last.every((line, i) => i < cycle || line === last[i - cycle]) &&
    last.slice(0, cycle).some((line) => content.test(line))
  );
}

interface Piece {
  readonly text: string;
  readonly kind: 'number' | 'word' | 'other';
  /** Offset of its end in the line. */
  readonly end: number;
}

function piecesOf(line: string): Piece[] {
  return [...line.matchAll(PIECES)].map(({ 0: text, index }) => {
    const kind = /^\d/.test(text) ? 'number' : LETTER.test(text) ? 'word' : 'other';
    return { text, kind, end: index + text.length };
  });
}

/**
 * Returns the step from one piece to the other: the difference of two numbers, or 1 or -1 for words in which one letter
 * is the next or the previous one in the alphabet; 0 for equal pieces, undefined for all others.
 */
function step(a: Piece | undefined, b: Piece | undefined): number | undefined {
  if (a?.text === b?.text) return 0;
  if (a === undefined || a.kind !== b?.kind || a.kind === 'other') return undefined;
  if (a.kind === 'number') return Number((Number(b.text) - Number(a.text)).toFixed(9));
  if (a.text.length !== b.text.length) return undefined;
  let at = 0;
  while (a.text[at] === b.text[at]) at += 1;
  const letters = b.text.charCodeAt(at) - a.text.charCodeAt(at);
  return Math.abs(letters) === 1 && a.text.slice(at + 1) === b.text.slice(at + 1) ? letters : undefined;
}

/** A line; its text after offset `from` belongs to the suggestion. */
interface Line {
  readonly text: string;
  readonly from: number;
}

/**
 * Returns the offset at which to cut a line in which items after offset `from` are equal or count up: `from` itself for
 * repeated words of a sentence, and if any later cut leaves a delimiter open. Undefined if there are no such items, or
 * not too many. An item is a unit of `length` pieces, separators included.
 */
function listCut(
  line: Line,
  isComplete: boolean,
  maxNewItems: number,
  isClosed: (end: number) => boolean,
): number | undefined {
  const { from } = line;
  const all = piecesOf(line.text);
  // The last piece can still grow.
  const pieces = isComplete ? all : all.slice(0, -1);
  const first = pieces.findIndex(({ end }) => end > from);
  // For each length of a unit, the index of the first piece of the run of such units that piece `at` ends.
  const starts = Array<number>(MAX_UNIT_PIECES + 1).fill(0);
  for (let at = 1; at < pieces.length; at++)
    for (let length = 1; length <= Math.min(at, MAX_UNIT_PIECES); length++) {
      const start = (starts[length] = runStart(pieces, at, length, starts[length] ?? 0));
      // Up to here, the text has too few pieces for more than MAX_REPEATS items.
      if (first < 0 || at < first + MAX_REPEATS * length - MAX_REPEATS) continue;
      const begin = Math.max(start, first);
      const unit = pieces.slice(begin, begin + length);
      // The separators at the end of the last item can still be missing.
      const missing = length - 1 - unit.findLastIndex(({ text }) => !SEPARATOR.test(text));
      const items = Math.floor((at + 1 - begin + missing) / length);
      const hasItemBefore = first - start >= length - missing;
      const maxItems = hasItemBefore || isLong(unit) ? MAX_REPEATS : maxNewItems;
      if (items <= maxItems || !unit.some(({ text }) => HAS_CONTENT.test(text))) continue;
      const next = pieces.slice(begin + length, begin + 2 * length);
      const countsUp = unit.some(({ text }, i) => text !== next[i]?.text);
      return isList(unit) || countsUp ? itemsEnd(line, pieces, begin + MAX_REPEATS * length, isClosed) : from;
    }
  return undefined;
}

/**
 * Returns the index of the first piece of the run of units of `length` pieces that ends at piece `at`. `start` is the
 * result for the piece before. In a run, corresponding pieces of the units differ by the same step each time.
 */
function runStart(pieces: readonly Piece[], at: number, length: number, start: number): number {
  const last = pieces[at - length];
  const stepHere = step(last, pieces[at]);
  if (stepHere === undefined) return at - length + 1;
  const isSteady = at - 2 * length < start || step(pieces[at - 2 * length], last) === stepHere;
  return isSteady ? start : at - 2 * length + 1;
}

/** Returns whether a unit is too long for an item that a list repeats. */
function isLong(unit: readonly Piece[]): boolean {
  const different = unit.filter(({ text }, i) => unit.findIndex((piece) => piece.text === text) === i);
  const words = different.filter(({ kind }) => kind === 'word').length;
  return words > 1 || different.filter(({ text }) => !SEPARATOR.test(text)).length >= LONG_ITEM;
}

/** Returns whether a unit is an item of a list, and not a word of a sentence. */
function isList(unit: readonly Piece[]): boolean {
  return unit.some(({ text, kind }) => /[,;|&+]/.test(text) || kind === 'number');
}

/**
 * Returns the last offset between two items, before piece `to`, at which no delimiter of the text is open; `from` if
 * there is none.
 */
function itemsEnd(
  { text, from }: Line,
  pieces: readonly Piece[],
  to: number,
  isClosed: (end: number) => boolean,
): number {
  for (let at = to; at > 0; at--) {
    const before = pieces[at - 1];
    const after = pieces[at];
    if (before === undefined || before.end <= from) break;
    const isBetween = [before, after].some((piece) => piece === undefined || SEPARATOR.test(piece.text));
    const end = before.end - (SEPARATORS_AT_END.exec(text.slice(from, before.end))?.[0].length ?? 0);
    if (isBetween && isClosed(end)) return end;
  }
  return from;
}
