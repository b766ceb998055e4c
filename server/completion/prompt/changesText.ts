// What changes in files, as a prompt quotes it: file by file, each with its share of the room. Short changes are quoted
// in full, and long ones share what these leave.

export interface Change {
  readonly path: string;
  /** In the unified format; empty if only the name is to be quoted. */
  readonly diff: string;
}

/** Of a line that is quoted in full. */
const LONGEST_LINE = 300;
const CUT = '...\n';
/** Lines above the first hunk that say more than the name. */
const TELLING = /^(new file|deleted file|rename|Binary files)/;

/** At most `characters` UTF-16 units. */
export function changesText(changes: readonly Change[], characters: number): string {
  const texts = changes.map(textOf);
  const shares = sharesOf(
    texts.map(({ length }) => length),
    characters,
  );
  return texts.map((text, i) => cut(text, shares[i] ?? 0)).join('');
}

function textOf({ path, diff }: Change): string {
  const name = `File ${path.replace(/\p{Cc}+/gu, ' ')}\n`;
  const start = diff.search(/^@@/m);
  const hunks = start < 0 ? diff.length : start;
  const head = diff.slice(0, hunks).split(/\r?\n/);
  const told = head.filter((line) => TELLING.test(line));
  const lines = diff === '' ? ['(not shown)'] : [...told, ...diff.slice(hunks).trimEnd().split(/\r?\n/)];
  return `${name}${lines.map(shortLine).join('\n').trim()}\n\n`;
}

function shortLine(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}...` : line;
}

/** Nobody gets more than needed, and nobody who needs more gets less than another. */
function sharesOf(needed: readonly number[], total: number): number[] {
  const shares = needed.map(() => 0);
  let left = total;
  const byNeed = [...needed.keys()].sort((a, b) => (needed[a] ?? 0) - (needed[b] ?? 0));
  byNeed.forEach((index, i) => {
    const share = Math.min(needed[index] ?? 0, Math.floor(left / (needed.length - i)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/** At the end of a line, and with a mark; nothing if there is no room for a line. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length - CUT.length - 1) + 1;
  return end === 0 ? '' : text.slice(0, end) + CUT;
}
