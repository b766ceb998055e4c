// Step: aligns keys in YAML with their siblings. At any other column the document would not parse.
import { leadingSpace, type CompletionContext } from '../prompt/context';

/** Matches a line that opens a block: a key without a value, or an empty item. Each can have an anchor or a tag. */
const OPENS_BLOCK = /(?::|(?:^|\s)-)(?:\s+[&!]\S*)*\s*(?:\s#.*)?$/;
/** Matches a line that opens a block scalar, a text of several lines. */
const OPENS_BLOCK_SCALAR = /[|>](?:[+-]?\d?|\d[+-])\s*(?:#.*)?$/;
const DOCUMENT_MARKER = /^(?:---|\.\.\.)(?:\s|$)/;
const KEY = /^[^\s#].*:(?:\s|$)/;
/** Matches several words. One word can be a key whose colon is still to come. */
const PROSE = /^[^\s#[\]{}].*\s\S/;

/**
 * Moves the text to the nearest column of siblings. Of two, a key moves to the right one, as it is mostly of the item
 * above; a closer to the left one. Returns '' if the cursor is beyond all columns.
 */
export function alignWithSiblings(text: string, context: CompletionContext): string {
  const { languageId, above, lineBefore } = context;
  if (languageId !== 'yaml' || lineBefore.trim() !== '' || text.trim() === '') return text;
  const start = text.search(/\S/);
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const lead = lineStart === 0 ? lineBefore + leadingSpace(text) : leadingSpace(text.slice(lineStart));
  const columns = columnsAt(openEntries(above.split('\n')), context, text.trim(), lead.length);
  if (columns === undefined || columns.includes(lead.length)) return text;
  const minColumn = lineStart === 0 ? lineBefore.length : 0;
  const distance = (candidate: number): number => Math.abs(candidate - lead.length);
  const side = /^[\])}]/.test(text.slice(start)) ? 1 : -1;
  const [column] = columns
    .filter((candidate) => candidate >= minColumn)
    .sort((a, b) => distance(a) - distance(b) || side * (a - b));
  if (column === undefined) return '';
  const surplus = Math.max(0, lead.length - column);
  const lacking = ' '.repeat(Math.max(0, column - lead.length));
  const moved = text
    .slice(start)
    .split('\n')
    .map((line, i) => {
      if (i === 0 || line === '') return line;
      return lacking + line.slice(Math.min(surplus, leadingSpace(line).length));
    });
  return text.slice(0, lineStart) + ' '.repeat(column - minColumn) + moved.join('\n');
}

/** Part of a line that can have siblings: an item of a list, or a key, a value or other text. */
interface Entry {
  readonly column: number;
  readonly isItem: boolean;
  /** The rest of the line from its column. */
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
 * Returns the columns at which `body` can begin, in ascending order; undefined if any column is possible. `column` is
 * its own.
 */
function columnsAt(
  open: readonly Entry[],
  { below }: CompletionContext,
  body: string,
  column: number,
): number[] | undefined {
  if (open.some(({ text }) => OPENS_BLOCK_SCALAR.test(text))) return undefined;
  const last = open.at(-1);
  if (last === undefined || DOCUMENT_MARKER.test(body)) return [0];
  const dash = dashesOf(body).length;
  const isItem = dash > 0;
  const siblings = open
    .filter((entry) => entry.isItem === isItem || body.startsWith('#'))
    .map((entry) => entry.column);
  if (!OPENS_BLOCK.test(last.text)) {
    const continuesValue = !isItem && !KEY.test(body) && PROSE.test(body) && column > last.column;
    return continuesValue || (isItem && siblings.length === 0) ? undefined : siblings;
  }
  // The first key of a block can have any deeper column, unless a line of the block already follows the cursor. Items
  // can have the column of the key that holds them.
  const minColumn = isItem ? last.column : last.column + 1;
  const isPossible = column >= minColumn || siblings.includes(column);
  const next = /^[ \t]*[^\s#]/m.exec(below)?.[0];
  const nextColumn = next === undefined ? 0 : leadingSpace(next).length;
  if (nextColumn <= last.column) return isPossible ? undefined : [...siblings, minColumn];
  // The line that follows can belong to the last key of the text, or to the item that it begins.
  const isOpen = OPENS_BLOCK.test(body) || OPENS_BLOCK_SCALAR.test(body);
  const holdsNext = isOpen || (isItem && column + dash === nextColumn);
  return holdsNext && isPossible && column < nextColumn ? undefined : [nextColumn];
}
