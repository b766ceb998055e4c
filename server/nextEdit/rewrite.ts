// Reads a rewritten window while it streams: finds the first change, stops there, and refuses output that does not
// rewrite the window.
import { commonEnd, commonStart } from '../rules/commonEnds';
import type { LineChange } from '../rules/lineDiff';
import { MAX_EDIT_LINE_LENGTH } from './editWindow';

/**
 * Result of reading an output: `open` while more of it is needed, `same` if it changes nothing. Lines of a change count
 * from the first line that the output rewrites; in results of `EditFormat.read`, from the first line of the window.
 */
export type Reading =
  | { readonly kind: 'open' }
  | { readonly kind: 'same' }
  | { readonly kind: 'change'; readonly change: LineChange }
  | { readonly kind: 'refused'; readonly reason: string };

/** Number of lines with letters, or of any lines, that must match again to end a change; one of them is unique. */
const MATCHES_WITH_LETTERS = 2;
const MATCHES = 3;
/** Has more than a keyword such as `end`, an annotation or a tag, which match in another block just as well. */
const SAYS_MORE = /[\p{L}\p{N}_][^\p{L}\p{N}_]+[\p{L}\p{N}_]|[\p{L}\p{N}_]\(/u;
/** Number of lines beyond the window's after which an output that does not match again counts as endless. */
const MAX_EXTRA_LINES = 20;
/** Number of equal lines in a row at which an output is refused, if they have letters. */
const EQUAL_LINES_IN_A_ROW = 3;
/** Share of the window, from its start, in which the first line of the output must be found if the window has it. */
const START_SHARE = 0.25;
/** Windows of at least this many lines must have a line that the output repeats. */
const MIN_LINES_TO_REPEAT = 4;
const IMPORT = /^\s*(?:import\b|from\s+[\w.]+\s+import\b|#\s*include\b|using\s+[\w.:]+;|use\s+[\w:{}, ]+;)/;

/**
 * Reads the output for `old` lines up to the first change that can be useful, which ends where lines match again. A
 * longer output gives the same change, so decoding can stop there. `isEnded` says that the model has ended the output
 * by itself.
 */
export function readRewrite(old: readonly string[], output: string, isEnded: boolean): Reading {
  if (isEnded && output.trim() === '' && old.join('').trim() !== '')
    return { kind: 'refused', reason: 'empty' };
  const fresh = output.split('\n');
  const rest = fresh.pop() ?? '';
  if (isEnded ? rest !== '' : rest.length > MAX_EDIT_LINE_LENGTH) fresh.push(rest);
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
  // A last line without a line break can be complete, but not if it or the lines after it only lack text.
  const isLast = at + removed === old.length && at + added.length === fresh.length;
  const isShortened = removed > added.length || old.at(-1)?.startsWith(rest) === true;
  if (isEnded && rest !== '' && isLast && isShortened) return { kind: 'refused', reason: 'ends too early' };
  return reading;
}

/** Reads complete lines of an output up to the first change. */
function readLines(old: readonly string[], fresh: readonly string[], isEnded: boolean): Reading {
  const at = commonStart(old, fresh);
  for (let count = at + 1; count <= fresh.length; count += 1) {
    const problem = streamProblem(old, fresh, at, count);
    if (problem !== undefined) return { kind: 'refused', reason: problem };
    const match = matchAt(old, fresh, at, count);
    if (match) return changeOf(old, fresh, { at, ...match });
  }
  if (!isEnded) return { kind: 'open' };
  if (at === old.length && at === fresh.length) return { kind: 'same' };
  const same = commonEnd(old, fresh, at);
  // A model that has understood the window repeats most of it.
  if (at + same === 0 && old.length >= MIN_LINES_TO_REPEAT)
    return { kind: 'refused', reason: 'repeats nothing' };
  return changeOf(old, fresh, { at, oldEnd: old.length - same, end: fresh.length - same });
}

/** Returns whether a change is not worth showing: it changes only white space or only imports. */
function isUseless({ at, removed, added }: LineChange, old: readonly string[]): boolean {
  const before = old.slice(at, at + removed);
  return onlyText(before) === onlyText(added) || (isAllImports(before) && isAllImports(added));
}

interface Match {
  readonly at: number;
  readonly oldEnd: number;
  readonly end: number;
}

function changeOf(old: readonly string[], fresh: readonly string[], { at, oldEnd, end }: Match): Reading {
  const change = { at, removed: oldEnd - at, added: fresh.slice(at, end) };
  // A change up to the end of both texts that drops lines: the model has probably stopped before rewriting them.
  const isCutOff = oldEnd === old.length && end === fresh.length;
  if (isCutOff && change.removed - change.added.length > 1)
    return { kind: 'refused', reason: 'ends too early' };
  return { kind: 'change', change };
}

/**
 * Returns the ends of the change in both texts if the last of `count` lines confirms that the output follows the old
 * text again; undefined otherwise.
 */
function matchAt(
  old: readonly string[],
  fresh: readonly string[],
  at: number,
  count: number,
): { readonly oldEnd: number; readonly end: number } | undefined {
  for (let last = at; last < old.length; last += 1) {
    let run = 0;
    while (last - run >= at && count - 1 - run >= at && old[last - run] === fresh[count - 1 - run]) run += 1;
    const oldEnd = last - run + 1;
    const end = count - run;
    const withLetters = old.slice(oldEnd, last + 1).filter((line) => /\p{L}/u.test(line));
    // A line that the window has several times, such as the end of a block, also matches after an inserted block.
    if (!withLetters.some((line) => old.indexOf(line) === old.lastIndexOf(line))) continue;
    const isSure = withLetters.length >= MATCHES_WITH_LETTERS || run >= MATCHES;
    // If the change replaces as many lines as it adds, one matching line is enough. A line that is also in the change
    // can match because the output inserts or removes lines above it.
    const line = fresh[count - 1] ?? '';
    const isInChange = old.slice(at, oldEnd).includes(line) || fresh.slice(at, end).includes(line);
    if (isSure || (oldEnd === end && !isInChange && SAYS_MORE.test(line))) return { oldEnd, end };
  }
  return undefined;
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
  const isRepeated = row.length === EQUAL_LINES_IN_A_ROW && row.every((line) => line === row[0]);
  return isRepeated && /\p{L}/u.test(row[0] ?? '') ? 'repeats a line' : undefined;
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
