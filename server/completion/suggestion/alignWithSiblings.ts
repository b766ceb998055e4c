// Step: aligns keys in YAML with their siblings. At any other column the document would not parse.
import { leadingSpace, type CompletionContext } from '../prompt/context';

/** Matches a line that opens a block: a key without a value, or an empty item. */
const OPENS_BLOCK = /(?::|(?:^|\s)-)\s*(?:\s#.*)?$/;
/** Matches a line that opens a block scalar, a text of several lines. */
const OPENS_BLOCK_SCALAR = /[|>](?:[+-]?\d?|\d[+-])\s*(?:#.*)?$/;

/**
 * Moves the text to the nearest column of siblings. Of two, a key moves to the right one, as it is mostly of the item
 * above; a closer to the left one. Returns '' if the cursor is beyond all columns.
 */
export function alignWithSiblings(text: string, context: CompletionContext): string {
  const { languageId, lineBefore, prefix } = context;
  if (languageId !== 'yaml' || lineBefore.trim() !== '' || text.trim() === '') return text;
  const above = prefix.slice(0, prefix.length - lineBefore.length).split('\n');
  const start = text.search(/\S/);
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const lead = lineStart === 0 ? lineBefore + leadingSpace(text) : leadingSpace(text.slice(lineStart));
  const columns = columnsAt(above, context, text.trim(), lead.length);
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

/**
 * Returns the columns at which `body` can begin, in ascending order; undefined if any column is possible. `column` is
 * its own.
 */
function columnsAt(
  above: readonly string[],
  { suffix, lineAfter }: CompletionContext,
  body: string,
  column: number,
): number[] | undefined {
  const lines = above.filter((line) => /^\s*[^\s#]/.test(line));
  const last = lines.at(-1);
  if (last === undefined) return [0];
  const depth = leadingSpace(last).length;
  const next = /^[ \t]*[^\s#]/m.exec(suffix.slice(lineAfter.length))?.[0];
  if (OPENS_BLOCK_SCALAR.test(last)) return undefined;
  if (OPENS_BLOCK.test(last)) {
    // The first key of a block can have any deeper column, unless a line of the block already follows the cursor.
    const nextColumn = next === undefined ? 0 : leadingSpace(next).length;
    if (nextColumn <= depth) return undefined;
    // The line that follows can belong to the last key of the text, or to the item that it begins.
    const dash = /^- +/.exec(body)?.[0].length ?? 0;
    const isOpen = OPENS_BLOCK.test(body) || OPENS_BLOCK_SCALAR.test(body);
    const holdsNext = isOpen || (dash > 0 && column + dash === nextColumn);
    // Items can have the column of the key that holds them.
    const minColumn = dash > 0 ? depth : depth + 1;
    return holdsNext && column >= minColumn && column < nextColumn ? undefined : [nextColumn];
  }
  const columns = new Set<number>();
  const isItem = body.startsWith('- ');
  let leftmost = Infinity;
  for (const line of lines.toReversed()) {
    const column = leadingSpace(line).length;
    if (column >= leftmost) continue;
    // In `- key: value`, the siblings of the key are aligned with the key, not with the dash.
    const keyColumn = /^[ \t]*(?:- +)+(?=[^\s#])/.exec(line)?.[0].length;
    if (!isItem && keyColumn !== undefined && keyColumn < leftmost && /:(?:\s|$)/.test(line))
      columns.add(keyColumn);
    const isOfItems = keyColumn !== undefined && !/^[-#]/.test(body);
    if (isItem ? /^\s*-(?:\s|$)/.test(line) : !isOfItems) columns.add(column);
    // A key can have the column of the items that a key above it holds.
    leftmost = isOfItems ? column + 1 : column;
  }
  // Lines of a block scalar can have any column that is deeper than its key.
  const key = lines.findLast((line) => leadingSpace(line).length < depth);
  if (key !== undefined && OPENS_BLOCK_SCALAR.test(key)) return undefined;
  if (isItem && columns.size === 0) return undefined;
  return [...columns].sort((a, b) => a - b);
}
