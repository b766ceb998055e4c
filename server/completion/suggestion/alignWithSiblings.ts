// Step: aligns keys and items of lists in YAML with their siblings. At any other column the document would not parse.
import { leadingSpace, outdented, type CompletionContext } from '../prompt/context';

/** Matches a line that opens a block: a key without a value, or an empty item. Each can have an anchor or a tag. */
const OPENS_BLOCK = /(?::|(?:^|\s)-)(?:\s+[&!]\S*)*\s*(?:\s#.*)?$/;
/** Matches a line that opens a block scalar, a text of several lines. */
const OPENS_BLOCK_SCALAR = /[|>](?:[+-]?\d?|\d[+-])\s*(?:#.*)?$/;
const DOCUMENT_MARKER = /^(?:---|\.\.\.)(?:\s|$)/;
const KEY = /^[^\s#].*:(?:\s|$)/;
/** Matches several words. One word can be a key whose colon is still to come. */
const PROSE = /^[^\s#[\]{}].*\s\S/;

/**
 * Moves the text to the nearest column of siblings. Of two equally near ones, a closer moves to the left one, and any
 * other text to the right one, as a key mostly belongs to the item above. Returns '' if the cursor is beyond all
 * columns.
 */
export function alignWithSiblings(text: string, context: CompletionContext): string {
  const { languageId, above, below, lineBefore } = context;
  if (languageId !== 'yaml' || lineBefore.trim() !== '' || text.trim() === '') return text;
  const start = text.search(/\S/);
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const lead = lineStart === 0 ? lineBefore + leadingSpace(text) : leadingSpace(text.slice(lineStart));
  const content = text.trim();
  const body = { column: lead.length, isItem: dashesOf(content) !== '', text: content };
  const columns = possibleColumns(body, openEntries(above.split('\n')), below);
  if (columns === undefined || columns.includes(body.column)) return text;
  const distance = (candidate: number): number => Math.abs(candidate - body.column);
  const side = /^[\])}]/.test(content) ? 1 : -1;
  const cursorColumn = lineStart === 0 ? lineBefore.length : 0;
  const [column] = columns
    .filter((candidate) => candidate >= cursorColumn)
    .sort((a, b) => distance(a) - distance(b) || side * (a - b));
  if (column === undefined) return '';
  const moved = shiftLaterLines(text.slice(start), column - body.column);
  return text.slice(0, lineStart) + ' '.repeat(column - cursorColumn) + moved;
}

/** Moves all lines but the first `by` columns to the right or, if it is negative, left by at most their indentation. */
function shiftLaterLines(text: string, by: number): string {
  const [first, ...later] = text.split('\n');
  const lacking = ' '.repeat(Math.max(0, by));
  const shifted = later.map((line) => (line === '' ? '' : lacking + outdented(line, Math.max(0, -by))));
  return [first, ...shifted].join('\n');
}

/** Part of a line that can have siblings: an item of a list, or a key, a value or other text. */
interface Entry {
  readonly column: number;
  readonly isItem: boolean;
  /** Text from its column on: up to the end of the line or, in a suggestion, up to the end of the suggestion. */
  readonly text: string;
}

/** Returns the indentation of a line and the dashes of the items that it begins, each with the spaces after it. */
function dashesOf(line: string): string {
  return /^[ \t]*(?:-(?: +|$))*/m.exec(line)?.[0] ?? '';
}

/** Returns the entries of a line, outermost first: `- a: 1` is an item and the key in it, `- a` only an item. */
function entriesOf(line: string): Entry[] {
  const dashes = dashesOf(line);
  const rest = { column: dashes.length, isItem: false, text: line.slice(dashes.length) };
  const isKey = KEY.test(rest.text);
  const items = [...dashes.matchAll(/-/g)].map(({ index }) => ({
    column: index,
    isItem: true,
    // The key can be closed, and its value with it, while the item is still open.
    text: isKey ? dashes.slice(index) : line.slice(index),
  }));
  return isKey || items.length === 0 ? [...items, rest] : items;
}

/**
 * Returns the entries to which the next line can belong, outermost first. An item can have the column of the key that
 * holds it.
 */
function openEntries(lines: readonly string[]): Entry[] {
  const open: Entry[] = [];
  for (const line of lines.toReversed()) {
    const [outermost] = open;
    if (DOCUMENT_MARKER.test(line) || (outermost?.column === 0 && !outermost.isItem)) break;
    const indentation = leadingSpace(line).length;
    const isWithin = outermost !== undefined && indentation > outermost.column;
    const isEarlierItem = indentation === outermost?.column && line.startsWith('- ', indentation);
    if (isWithin || isEarlierItem || !/^\s*[^\s#]/.test(line)) continue;
    for (const entry of entriesOf(line).toReversed()) if (holds(entry, open[0])) open.unshift(entry);
  }
  return open;
}

/** Returns whether an entry holds one of the lines after it, rather than ends before it. */
function holds({ column, isItem }: Entry, after: Entry | undefined): boolean {
  if (after === undefined) return true;
  return column < after.column || (column === after.column && after.isItem && !isItem);
}

/**
 * Returns the columns at which `body`, the text to align, can begin, in ascending order; undefined if it can stay at
 * its own column, whichever columns its siblings have. `open` are the entries to which it can belong.
 */
function possibleColumns(body: Entry, open: readonly Entry[], below: string): number[] | undefined {
  // White space in a block scalar is part of the scalar.
  if (open.some(({ text }) => OPENS_BLOCK_SCALAR.test(text))) return undefined;
  const innermost = open.at(-1);
  if (innermost === undefined || DOCUMENT_MARKER.test(body.text)) return [0];
  const siblings = open
    .filter(({ isItem }) => isItem === body.isItem || body.text.startsWith('#'))
    .map(({ column }) => column);
  if (OPENS_BLOCK.test(innermost.text)) return columnsInBlock(body, innermost, siblings, below);
  const isProse = !body.isItem && !KEY.test(body.text) && PROSE.test(body.text);
  const continuesValue = isProse && body.column > innermost.column;
  return continuesValue || (body.isItem && siblings.length === 0) ? undefined : siblings;
}

/** Returns the columns as `possibleColumns` does, for a text below `header`, which opens a block. */
function columnsInBlock(
  body: Entry,
  header: Entry,
  siblings: readonly number[],
  below: string,
): number[] | undefined {
  // Items can have the column of the key that holds them.
  const minColumn = body.isItem ? header.column : header.column + 1;
  const isPossible = body.column >= minColumn || siblings.includes(body.column);
  const next = /^[ \t]*[^\s#]/m.exec(below)?.[0];
  const nextColumn = next === undefined ? 0 : leadingSpace(next).length;
  // If no line of the block follows the cursor, the text is the first one, which can have any deeper column.
  if (nextColumn <= header.column) return isPossible ? undefined : [...siblings, minColumn];
  // The line that follows can belong to the last key of the text, or to the item that the text begins.
  const isOpen = OPENS_BLOCK.test(body.text) || OPENS_BLOCK_SCALAR.test(body.text);
  const holdsNext = isOpen || (body.isItem && body.column + dashesOf(body.text).length === nextColumn);
  return holdsNext && isPossible && body.column < nextColumn ? undefined : [nextColumn];
}
