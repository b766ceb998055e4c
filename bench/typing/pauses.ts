// Determines where a person pauses while typing a program, and judges suggestions there. Shared by quickPauses.ts,
// which needs no editor, and by the tests that type programs into VS Code.

/**
 * Judgement of a suggestion.
 * - wanted: the first line will be typed
 * - beginsRight: only the first word will be typed, which a key accepts separately
 */
export type Judgement = 'wanted' | 'beginsRight' | 'wrong' | 'none';

/** Matches after an opening bracket, a dot, an operator, a keyword, or the beginning of a name. */
const STOPS = /(?<=[([{.] ?|[=:,<>] |\b(?:return|if|for|new|in|import|const) |\b\w{3})(?=[^\s)\]}])/g;
const FIRST_WORD = /^\s*(?:\w+|[^\w\s]+)/;

/** Returns offsets of pauses: the first stop from the middle of each of `count` equal parts of the program. */
export function stopsOf(program: string, count: number): Set<number> {
  const stops = [...program.matchAll(STOPS)].map(({ index }) => index);
  const middles = Array.from({ length: count }, (_, i) => ((i + 0.5) * program.length) / count);
  return new Set(middles.flatMap((middle) => stops.find((index) => index >= middle) ?? []));
}

/**
 * Judges a suggestion. `after` is the rest of the cursor's line in the editor: the closers that the editor added.
 * `rest` is the part of the program that is not typed yet, whose first line can continue after such a closer.
 */
export function judge(shown: string, after: string, rest: string): Judgement {
  if (shown.trim() === '') return 'none';
  const closer = shown.includes('\n') ? '' : after.trim().slice(0, 1);
  if (isLine(dense(firstLine(shown) + closer), dense(firstLine(rest)), closer !== '')) return 'wanted';
  const [word = shown] = FIRST_WORD.exec(shown) ?? [];
  // Users do not accept half of a name.
  const isCompleteWord = !/\w$/.test(word) || !/^\w/.test(rest.slice(word.length));
  return rest.startsWith(word) && isCompleteWord ? 'beginsRight' : 'wrong';
}

/** Returns whether the whole suggestion, and not only its first line, will be typed. */
export function isAllWanted(shown: string, after: string, rest: string): boolean {
  return shown.trim() !== '' && dense(rest).startsWith(dense(shown + after));
}

/**
 * Returns whether `line` will be typed. If it ends with a closer of the editor (`isClosed`), the expected line can
 * continue after it; otherwise only a comma or semicolon can follow.
 */
function isLine(line: string, expected: string, isClosed: boolean): boolean {
  return expected.startsWith(line) && (isClosed || /^[;,]?$/.test(expected.slice(line.length)));
}

function firstLine(text: string): string {
  return text.split('\n', 1).join();
}

/** Removes all white space. */
function dense(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
