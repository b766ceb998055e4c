// Determines where a person pauses while typing a program, and judges suggestions there. Shared by the quick judge and
// by programs typed into VS Code.

/**
 * Judgement of a suggestion.
 * - wanted: the first line will be typed
 * - beginsRight: only the first word will be typed, which a key accepts separately
 */
export type Worth = 'wanted' | 'beginsRight' | 'wrong' | 'none';

/** Matches after an opening bracket, a dot, an operator, a keyword, or the beginning of a name. */
const STOPS = /(?<=[([{.] ?|[=:,<>] |\b(?:return|if|for|new|in|import|const) |\b\w{3})(?=[^\s)\]}])/g;
const FIRST_WORD = /^\s*(?:\w+|[^\w\s]+)/;

/** Returns offsets of pauses, one in each of `count` parts of the program. */
export function stopsOf(program: string, count: number): Set<number> {
  const all = [...program.matchAll(STOPS)].map(({ index }) => index);
  const parts = Array.from({ length: count }, (_, i) => ((i + 0.5) * program.length) / count);
  return new Set(parts.flatMap((middle) => all.find((index) => index >= middle) ?? []));
}

/** Judges a suggestion. `after` has the closers added by the editor after the cursor; `rest` is the program's rest. */
export function worthOf(shown: string, after: string, rest: string): Worth {
  if (shown.trim() === '') return 'none';
  const isClosed = !shown.includes('\n') && after.trim() !== '';
  if (isLine(dense(firstLine(isClosed ? shown + after : shown)), dense(firstLine(rest)), isClosed))
    return 'wanted';
  const [word = shown] = FIRST_WORD.exec(shown) ?? [];
  // Users do not accept half of a name.
  const isWhole = !/\w$/.test(word) || !/^\w/.test(rest.slice(word.length));
  return rest.startsWith(word) && isWhole ? 'beginsRight' : 'wrong';
}

/** Returns whether the whole suggestion, and not only its first line, will be typed. */
export function isAllWanted(shown: string, after: string, rest: string): boolean {
  return shown.trim() !== '' && dense(rest).startsWith(dense(shown + after));
}

/** Compares lines up to a bracket that the editor closed, or else to the end, ignoring a final comma or semicolon. */
function isLine(line: string, wanted: string, isClosed: boolean): boolean {
  return wanted.startsWith(line) && (isClosed || /^[;,]?$/.test(wanted.slice(line.length)));
}

function firstLine(text: string): string {
  return text.split('\n', 1).join();
}

function dense(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
