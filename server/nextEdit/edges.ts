// Reasons to refuse a change at the first or last line that an output rewrites. Such a change has no equal line above
// or below it, which would show that the model has neither skipped a line nor stopped early.
import { commonEnd, commonStart } from '../rules/commonEnds';
import type { LineChange } from '../rules/lineDiff';

/** Windows of at least this many lines must have a line that the output repeats. */
const MIN_LINES_TO_REPEAT = 4;
/** Matches the end of a block on a line of its own. */
const BLOCK_END = /^\s*(?:[\])}]+[;,]?|end|fi|done|esac|<\/\S+>)\s*$/;
/** Matches a line that models write before the text: a header of the format, a path, or the start tag of thinking. */
const HEADER = /^\s*(?:<think>|(?:original|updated):|[\w@.-]*(?:\/[\w@.-]+)+|[\w@-]+\.\w+)(?::\d+)*\s*$/;

/**
 * Returns the reason to refuse a change at the start of a window, which no line above confirms: the model has probably
 * skipped a line, or written one of its own first. `parts` are the differences within the change, from `lineDiff`.
 */
export function startProblem(
  { at, removed }: LineChange,
  parts: readonly LineChange[],
  old: readonly string[],
): string | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const isSkipped = first.added.length < first.removed && !resemblesFirst(first, old);
  if (isSkipped && isBlank(old.slice(0, first.at))) return 'begins too late';
  // An introduction in words, or the line above the window.
  const isInsertedFirst = first.at + first.removed === 0 && parts.length > 1;
  if (isInsertedFirst) return 'begins before the window';
  // A model that has understood the window repeats most of it.
  const repeated = [...old.slice(0, at), ...old.slice(at + removed)];
  const repeatsNothing = !repeated.some((line) => /[\p{L}\p{N}]/u.test(line));
  return old.length >= MIN_LINES_TO_REPEAT && repeatsNothing ? 'repeats nothing' : undefined;
}

/** Returns whether the first new line is a form of the first line that it replaces rather than of the next one. */
function resemblesFirst({ at, added: [line] }: LineChange, old: readonly string[]): boolean {
  const [first, second] = [old[at], old[at + 1]].map((text = '') => {
    const start = commonStart(text, line ?? '');
    return start + commonEnd(text, line ?? '', start);
  });
  return line !== undefined && (first ?? 0) >= (second ?? 0);
}

/**
 * Returns the reason to refuse a change that inserts a header, a path or a tag of thinking before the first old line,
 * unless that line is one too.
 */
export function headerProblem(
  [first]: readonly LineChange[],
  [line = '']: readonly string[],
): string | undefined {
  if (first === undefined || first.at > 0 || first.added.length <= first.removed) return undefined;
  const isHeader = HEADER.test(first.added[0] ?? '') && !HEADER.test(line);
  return isHeader ? 'begins before the window' : undefined;
}

/**
 * Returns the reason to refuse a change whose last part is at the end of the rewritten lines, which no line below
 * confirms: the model has probably stopped early, or gone past the end. `canDiffer` says that there can be more or
 * fewer lines, and `hasBreak` that the last line of the output is complete.
 */
export function endProblem(
  last: LineChange | undefined,
  old: readonly string[],
  canDiffer: boolean,
  hasBreak: boolean,
): string | undefined {
  if (last === undefined || !isBlank(old.slice(last.at + last.removed))) return undefined;
  const [removed, added] = [withoutBlankEnd(old.slice(last.at)), withoutBlankEnd(last.added)];
  const lastLine = removed.at(-1) ?? '';
  const lost = removed.length - added.length;
  const isBlockEnd = BLOCK_END.test(lastLine);
  const isCut = !hasBreak && lastLine !== '' && (lost > 0 || lastLine.startsWith(added.at(-1) ?? ''));
  if (isCut || lost > 1 || (lost === 1 && (!canDiffer || isBlockEnd))) return 'ends too early';
  if (last.at + last.removed < old.length || lost >= 0) return undefined;
  // At the end of the document, too, lines come after the end of a block, not in its place.
  const losesEnd = isBlockEnd && !added.some((line) => line.startsWith(lastLine));
  return canDiffer && !losesEnd ? undefined : 'does not end with the window';
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function isBlank(lines: readonly string[]): boolean {
  return lines.every((line) => line.trim() === '');
}
