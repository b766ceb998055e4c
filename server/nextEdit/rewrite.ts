// Reads a rewritten window while it streams: finds the first change, stops there, and refuses output that does not
// rewrite the window.
import { commonEnd, commonStart } from '../rules/commonEnds';
import { lineDiff, withChange, type LineChange } from '../rules/lineDiff';
import { withoutSlips } from './copySlips';
import { endProblem, headerProblem, startProblem } from './edges';
import { MAX_EDIT_LINE_LENGTH, type EditWindow } from './editWindow';

/**
 * Result of reading an output: `open` while more of it is needed, `same` if it changes nothing. Lines of a change count
 * from the first line that the output rewrites; in results of `readPart` and `EditFormat.read`, from the first line of
 * the window.
 */
export type Reading =
  | { readonly kind: 'open' }
  | { readonly kind: 'same' }
  | { readonly kind: 'change'; readonly change: LineChange }
  | { readonly kind: 'refused'; readonly reason: string };

/** Number of lines with letters, or of any lines, that must match again to end a change; one of them is unique. */
const MATCHES_WITH_LETTERS = 2;
const MATCHES = 3;
/** Number of lines beyond the window's after which an output that does not match again counts as endless. */
const MAX_EXTRA_LINES = 20;
/** Number of equal lines in a row at which an output is refused, if they have letters and the window has no such row. */
const EQUAL_LINES_IN_A_ROW = 3;
/** Share of the window, from its start, in which the first line of the output must be found if the window has it. */
const START_SHARE = 0.25;
/**
 * Matches what models add after the last line: a notice of diffs from their training data, or an end mark of others,
 * which is an end tag of HTML if the line has the start tag.
 */
const ADDED_END = /\n?(?:\\? No newline at end of file|(?<!<s\b.*)<\/s>)\n*$/;
const IMPORT =
  /^\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|(?:global\s+)?using\s+(?:static\s+)?[\w.:]+;|(?:pub\s+)?use\s+[\w\\:{}*, ]+;|require(?:_relative)?\s+['"])/;

/** Reads the output for lines `from` to `to` - 1 of a window up to the first change. */
export function readPart(
  { lines, isAtEnd }: EditWindow,
  { from, to = lines.length }: { readonly from: number; readonly to?: number | undefined },
  output: string,
  isEnded: boolean,
): Reading {
  const old = lines.slice(from, to);
  const text = isEnded ? withoutAddedEnd(output, old) : output;
  const reading = readRewrite(old, text, isEnded);
  if (reading.kind !== 'change') return reading;
  const { change } = reading;
  const parts = lineDiff(old, withChange(old, change));
  // The prompt has shown the lines above the rewritten ones, so that a model hardly skips one at the start.
  const startReason =
    headerProblem(parts, old) ?? (from === 0 ? startProblem(change, parts, old) : undefined);
  // A block or a document can end with more or fewer lines, but not a window that is cut off within the document.
  const canDiffer = to < lines.length || isAtEnd;
  const reason = startReason ?? endProblem(parts.at(-1), old, canDiffer, text.endsWith('\n'));
  return reason === undefined
    ? { kind: 'change', change: { ...change, at: change.at + from } }
    : { kind: 'refused', reason };
}

/**
 * Reads the output for `old` lines up to the first change that can be useful, which ends where lines match again. A
 * longer output gives the same change, so decoding can stop there. `isEnded` says that the model has ended the output
 * by itself.
 */
export function readRewrite(old: readonly string[], output: string, isEnded: boolean): Reading {
  if (isEnded && output.trim() === '' && old.join('').trim() !== '')
    return { kind: 'refused', reason: 'empty' };
  const written = output.split('\n');
  const rest = written.pop() ?? '';
  if (isEnded ? rest !== '' : rest.length > MAX_EDIT_LINE_LENGTH) written.push(rest);
  const fresh = withoutSlips(written, old);
  const reading = readLines(old, fresh, isEnded);
  if (reading.kind !== 'change') return reading;
  const { at, removed, added } = reading.change;
  if (isUseless(reading.change, old)) {
    // Put the old lines back, and read on to the next change.
    const unchanged = [
      ...fresh.slice(0, at),
      ...old.slice(at, at + removed),
      ...fresh.slice(at + added.length),
    ];
    const next = (isEnded && rest !== '' ? unchanged : [...unchanged, rest]).join('\n');
    return readRewrite(old, next, isEnded);
  }
  return reading;
}

/** Removes a notice, an end mark or a blank line that a model has added after the last line. */
function withoutAddedEnd(text: string, old: readonly string[]): string {
  const lastLine = old.at(-1) ?? '';
  const body = ADDED_END.test(lastLine) ? text : text.replace(ADDED_END, '\n');
  const isLonger = body.split('\n').length > old.length + 1;
  return isLonger && lastLine.trim() !== '' ? body.replace(/\n\n$/, '\n') : body;
}

/** Reads complete lines of an output up to the first change. */
function readLines(old: readonly string[], fresh: readonly string[], isEnded: boolean): Reading {
  const at = commonStart(old, fresh);
  // The first match. Later lines disprove it if they bring back what it removes.
  let likely: Match | undefined;
  for (let count = at + 1; count <= fresh.length; count += 1) {
    const problem = streamProblem(old, fresh, at, count);
    const matches = problem === undefined ? matchesAt(old, fresh, at, count) : [];
    const sure = matches.find(({ isSure }) => isSure);
    likely ??= sure ?? matches[0];
    if (problem === undefined && sure === undefined) continue;
    if (likely && !bringsBack(likely, old, fresh.slice(0, count))) return changeOf(likely, fresh);
    return sure ? changeOf(sure, fresh) : { kind: 'refused', reason: problem ?? '' };
  }
  if (!isEnded) return { kind: 'open' };
  if (at === old.length && at === fresh.length) return { kind: 'same' };
  if (likely && !bringsBack(likely, old, fresh)) return changeOf(likely, fresh);
  const same = commonEnd(old, fresh, at);
  return changeOf({ at, oldEnd: old.length - same, end: fresh.length - same }, fresh);
}

/** Returns whether a change is not worth showing: it changes only white space or only imports. */
function isUseless({ at, removed, added }: LineChange, old: readonly string[]): boolean {
  const before = old.slice(at, at + removed);
  return onlyText(before) === onlyText(added) || (isAllImports(before) && isAllImports(added));
}

/** Ends of a change in both texts; both texts begin to differ at line `at`. */
interface Match {
  readonly at: number;
  readonly oldEnd: number;
  readonly end: number;
}

function changeOf({ at, oldEnd, end }: Match, fresh: readonly string[]): Reading {
  return { kind: 'change', change: { at, removed: oldEnd - at, added: fresh.slice(at, end) } };
}

/** Returns whether a line that a change seems to remove follows it: then lines like those below were inserted above. */
function bringsBack({ at, oldEnd, end }: Match, old: readonly string[], fresh: readonly string[]): boolean {
  const rest = fresh.slice(end);
  return old
    .slice(at, oldEnd)
    .some((line) => /\p{L}/u.test(line) && rest.includes(line) && isUnique(line, old));
}

/**
 * Returns the changes after which the output follows the old text again, as the last of `count` lines shows. Those that
 * are not sure can be insertions of lines that are also further down.
 */
function matchesAt(
  old: readonly string[],
  fresh: readonly string[],
  at: number,
  count: number,
): (Match & { readonly isSure: boolean })[] {
  return old.slice(at).flatMap((_, i) => {
    const last = at + i;
    let run = 0;
    while (last - run >= at && count - 1 - run >= at && old[last - run] === fresh[count - 1 - run]) run += 1;
    const oldEnd = last - run + 1;
    const end = count - run;
    const withLetters = old.slice(oldEnd, last + 1).filter((line) => /\p{L}/u.test(line));
    // A line that the window has several times, such as the end of a block, also matches after an inserted block.
    const uniqueCount = withLetters.filter((line) => isUnique(line, old)).length;
    if (uniqueCount === 0) return [];
    const match = { at, oldEnd, end };
    if (oldEnd < end) {
      const isSure = withLetters.length >= MATCHES_WITH_LETTERS || run >= MATCHES;
      return isSure ? [{ ...match, isSure }] : [];
    }
    const isSure = uniqueCount >= MATCHES_WITH_LETTERS;
    if (oldEnd === end) return [{ ...match, isSure }];
    const addsNew = fresh.slice(at, end).some((line) => !old.includes(line));
    return isSure ? [{ ...match, isSure: addsNew }] : [];
  });
}

function isUnique(line: string, lines: readonly string[]): boolean {
  return lines.indexOf(line) === lines.lastIndexOf(line);
}

/**
 * Returns the reason to refuse an output after `count` lines, of which the first `at` equal the old ones; undefined if
 * there is none.
 */
function streamProblem(
  old: readonly string[],
  fresh: readonly string[],
  at: number,
  count: number,
): string | undefined {
  const [first = ''] = fresh;
  if (at === 0 && old.indexOf(first) > Math.max(1, START_SHARE * old.length)) return 'begins elsewhere';
  const isLong = (fresh[count - 1] ?? '').length > MAX_EDIT_LINE_LENGTH;
  if (isLong || count > old.length + MAX_EXTRA_LINES) return 'does not end';
  const row = fresh.slice(Math.max(at, count - EQUAL_LINES_IN_A_ROW), count);
  const [line = ''] = row;
  const isRow = (lines: readonly string[]): boolean =>
    lines.length === EQUAL_LINES_IN_A_ROW && lines.every((other) => other === line);
  const isInWindow = old.some((_, i) => isRow(old.slice(i, i + EQUAL_LINES_IN_A_ROW)));
  return /\p{L}/u.test(line) && isRow(row) && !isInWindow ? 'repeats a line' : undefined;
}

function onlyText(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function isAllImports(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === '' || IMPORT.test(line));
}
