// Where a person who types a program pauses and looks, and what a suggestion is worth there. The same for the quick
// judge and for programs typed into VS Code.

/**
 * - wanted: its first line is what will be typed
 * - beginsRight: only its first word is, which the key that accepts a word takes
 */
export type Worth = 'wanted' | 'beginsRight' | 'wrong' | 'none';

/** Behind an opening bracket, a dot, an operator, a keyword, or the beginning of a name. */
const STOPS = /(?<=[([{.] ?|[=:,<>] |\b(?:return|if|for|new|in|import|const) |\b\w{3})(?=[^\s)\]}])/g;
const FIRST_WORD = /^\s*(?:\w+|[^\w\s]+)/;

/** Offsets, one in each of `count` parts of the program. */
export function stopsOf(program: string, count: number): Set<number> {
  const all = [...program.matchAll(STOPS)].map(({ index }) => index);
  const parts = Array.from({ length: count }, (_, i) => ((i + 0.5) * program.length) / count);
  return new Set(parts.flatMap((middle) => all.find((index) => index >= middle) ?? []));
}

/** `after` is what the editor has closed behind the cursor and would stay there, `rest` the program from there on. */
export function worthOf(shown: string, after: string, rest: string): Worth {
  if (shown.trim() === '') return 'none';
  const isClosed = !shown.includes('\n') && after.trim() !== '';
  if (isLine(dense(firstLine(isClosed ? shown + after : shown)), dense(firstLine(rest)), isClosed))
    return 'wanted';
  const [word = shown] = FIRST_WORD.exec(shown) ?? [];
  // Half of a name is not what anybody accepts.
  const isWhole = !/\w$/.test(word) || !/^\w/.test(rest.slice(word.length));
  return rest.startsWith(word) && isWhole ? 'beginsRight' : 'wrong';
}

/** Whether all of it, and not only its first line, will be typed. */
export function isAllWanted(shown: string, after: string, rest: string): boolean {
  return shown.trim() !== '' && dense(rest).startsWith(dense(shown + after));
}

/** Up to a bracket that the editor has closed, or to the end, which may lack what ends a statement. */
function isLine(line: string, wanted: string, isClosed: boolean): boolean {
  return wanted.startsWith(line) && (isClosed || /^[;,]?$/.test(wanted.slice(line.length)));
}

function firstLine(text: string): string {
  return text.split('\n', 1).join();
}

function dense(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
