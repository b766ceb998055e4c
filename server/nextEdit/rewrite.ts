// Reads a rewritten window while it streams: finds the first change, stops there, and refuses output that does not
// rewrite the window.
import { commonEnd, commonStart } from '../rules/commonEnds';
import { lineDiff, withChange, type LineChange } from '../rules/lineDiff';
import { withoutSlips } from './copySlips';
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
/** Matches what models add after the last line: a notice of diffs from their training data, or an end mark of others. */
const ADDED_END = /\n?(?:\\? No newline at end of file|<\/s>)\n*$/;
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
  const reading = readRewrite(old, isEnded ? withoutAddedEnd(output, old) : output, isEnded);
  if (reading.kind !== 'change') return reading;
  const { change } = reading;
  const reason = edgeProblem(change, old, to < lines.length || isAtEnd);
  return reason === undefined
    ? { kind: 'change', change: { ...change, at: change.at + from } }
    : { kind: 'refused', reason };
}

/**
 * Returns the reason to refuse a change of the first or the last of the rewritten lines with text, which no line above
 * or below confirms: the model has probably skipped a line, stopped early, or gone past the end.
 */
function edgeProblem(change: LineChange, old: readonly string[], canGrow: boolean): string | undefined {
  const parts = lineDiff(old, withChange(old, change));
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (isShorter(first) && isBlank(old.slice(0, first.at))) return 'begins too late';
  if (first.at + first.removed === 0 && first !== last) return 'begins elsewhere';
  const { removed, added } = last;
  const end = last.at + removed;
  if (!isBlank(old.slice(end))) return undefined;
  const isCut = added.length === removed && old[end - 1]?.startsWith(added.at(-1) ?? '') === true;
  if (isShorter(last) || isCut) return 'ends too early';
  if (end < old.length || added.length <= removed) return undefined;
  const lastLine = old[end - 1] ?? '';
  // At the end of the document, too, lines come after the end of a block, not in its place.
  const losesEnd =
    removed > 0 && !SAYS_MORE.test(lastLine) && !added.some((line) => line.startsWith(lastLine));
  return canGrow && !losesEnd ? undefined : 'does not end with the window';
}

function isShorter({ removed, added }: LineChange): boolean {
  return added.length < removed;
}

function isBlank(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === '');
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
  // A last line without a line break can be complete, but not if it or the lines after it only lack text.
  const isLast = at + removed === old.length && at + added.length === fresh.length;
  const isShortened = removed > added.length || old.at(-1)?.startsWith(rest) === true;
  if (isEnded && rest !== '' && isLast && isShortened) return { kind: 'refused', reason: 'ends too early' };
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
  for (let count = at + 1; count <= fresh.length; count += 1) {
    const problem = streamProblem(old, fresh, at, count);
    if (problem !== undefined) return { kind: 'refused', reason: problem };
    const match = matchAt(old, fresh, at, count);
    if (match) return changeOf(old, fresh, { at, ...match });
  }
  if (!isEnded) return { kind: 'open' };
  if (at === old.length && at === fresh.length) return { kind: 'same' };
  const same = commonEnd(old, fresh, at);
  const repeated = [...old.slice(0, at), ...old.slice(old.length - same)];
  // A model that has understood the window repeats most of it.
  if (old.length >= MIN_LINES_TO_REPEAT && !repeated.some((line) => /[\p{L}\p{N}]/u.test(line)))
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
    const uniqueCount = withLetters.filter((line) => old.indexOf(line) === old.lastIndexOf(line)).length;
    // An inserted copy of a line further down looks as if all lines up to that one were removed.
    if (uniqueCount < (oldEnd > end ? MATCHES_WITH_LETTERS : 1)) continue;
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
