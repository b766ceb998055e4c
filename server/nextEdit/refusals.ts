// Reasons not to show a change that a model has made.
import { lineDiff, sameLines, withChange, type LineChange } from '../rules/lineDiff';
import { newUnseenAt } from '../rules/visibleText';
import { hasTypographicSlip } from './copySlips';
import type { EditPrompt } from './editWindow';

/** A change that shortens the window by more than this share and this many characters is refused. */
const REMOVED_SHARE = 0.3;
const REMOVED_CHARACTERS = 300;
/** Marks of a merge conflict. Not the one of equals signs, which also underline headings. */
const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
/** Fence that chat models put around code. */
const FENCE = '```';
const TAB_INDENT = /^ *\t/;
const SPACE_INDENT = /^ {2}/;
/** Character that a part of a character decodes to. */
const REPLACEMENT = '\uFFFD';
const SEVERAL_WORD_CHARACTERS = /[\p{L}\p{N}_$][^]*[\p{L}\p{N}_$]/u;
/** Matches names of files in which typographic characters are as good as those of code. */
const PROSE = /\.(?:md|mdx|markdown|txt|rst|adoc|tex)$/i;
/** Matches an ellipsis in place of code; in Python, it is a statement. */
const ELLIPSIS = /^\s*(?:\.{3}|…)\s*$/;
const PYTHON = /\.pyi?$/i;
/** Matches a comment in place of code: `// ... existing code ...`, `# rest of the code`. */
const LEFT_OUT =
  /^\s*(?:\/\/|\{?\/\*|[#;]\s|--|<!--|%)[\s*]*(?:\.{3}|…|[([](?:\.{3}|…)[\])]|.*\b(?:rest of (?:the|this|your) (?:code|file|function|method|class|component)|existing code|remains? unchanged)\b)/i;
/** Matches special tokens of most models, which can arrive as text. */
const MARK = /<\|\w+\|>/g;

/**
 * Returns the reason to refuse a change; undefined for a good one. Line numbers of the change count from the start of
 * the window. `marks` are the special tokens of the format.
 */
export function refusal(
  change: LineChange,
  { path, lines, window, cursor }: EditPrompt,
  marks: readonly string[],
): string | undefined {
  const { at, removed, added } = change;
  const { lines: current, from } = window;
  const before = current.slice(at, at + removed);
  const old = before.join('\n');
  const fresh = added.join('\n');
  const after = withChange(current, change);
  const text = current.join('\n');
  const shrunkBy = text.length - after.join('\n').length;
  if (shrunkBy > REMOVED_SHARE * text.length && shrunkBy > REMOVED_CHARACTERS) return 'removes too much';
  if (added.some((line) => CONFLICT.test(line) && !current.includes(line))) return 'conflict marks';
  if (fresh.includes(REPLACEMENT) && !old.includes(REPLACEMENT)) return 'broken characters';
  if (!PROSE.test(path) && hasTypographicSlip(old, fresh, current)) return 'typographic characters';
  const isLeftOut = (line: string): boolean =>
    LEFT_OUT.test(line) || (ELLIPSIS.test(line) && !PYTHON.test(path));
  if (lineDiff(before, added).some((part) => leavesOut(part, current, isLeftOut))) return 'leaves code out';
  if (hasOpenFence(after) && !hasOpenFence(current)) return 'code fence';
  if (indentsOtherwise(added, before, current)) return 'other indentation';
  // An insertion above the cursor can only have blank lines below it, down to the cursor's.
  const isAbove =
    removed === 0 && current.slice(at, cursor.line - from + 1).some((line) => line.trim() !== '');
  if (isAbove) return 'insertion above the cursor';
  const isNew = (mark: string): boolean => fresh.includes(mark) && !text.includes(mark);
  if ([...marks, ...(fresh.match(MARK) ?? [])].some(isNew)) return 'marks in the output';
  if (newUnseenAt(fresh, lines) !== undefined) return 'invisible characters';
  const parts = lineDiff(lines, withChange(lines, { ...change, at: at + from }));
  const isRepetitive = parts.some((part) => repeatsNeighbours(part, lines));
  return isRepetitive ? 'repeats the lines around it' : undefined;
}

/**
 * Returns whether a change only inserts a copy of the lines above or below it, apart from blank lines. A line with
 * hardly any text, such as a bracket or a number, can follow itself.
 */
function repeatsNeighbours({ at, removed, added }: LineChange, lines: readonly string[]): boolean {
  const [above, below, fresh] = [lines.slice(0, at), lines.slice(at), added].map((part) =>
    part.filter((line) => line.trim() !== ''),
  );
  if (removed > 0 || !above || !below || !fresh || fresh.length === 0) return false;
  if (fresh.length === 1 && !SEVERAL_WORD_CHARACTERS.test(fresh.join())) return false;
  return [above.slice(-fresh.length), below.slice(0, fresh.length)].some((part) => sameLines(part, fresh));
}

function hasOpenFence(lines: readonly string[]): boolean {
  return lines.filter((line) => line.startsWith(FENCE)).length % 2 === 1;
}

/** Returns whether a change replaces lines by fewer ones, and one of these, new in the window, only mentions them. */
function leavesOut(
  { removed, added }: LineChange,
  window: readonly string[],
  isLeftOut: (line: string) => boolean,
): boolean {
  return added.length < removed && added.some((line) => isLeftOut(line) && !window.includes(line));
}

/**
 * Returns whether the first line of a change replaces tabs with spaces, or spaces with tabs, in a window that has no
 * such indentation. A new line can have any, as the first recipe of a Makefile has.
 */
function indentsOtherwise(
  added: readonly string[],
  before: readonly string[],
  window: readonly string[],
): boolean {
  const [fresh = '', old = ''] = [added, before].map((lines) => lines.find((line) => line.trim() !== ''));
  const replaces = (from: RegExp, to: RegExp): boolean =>
    from.test(old) && to.test(fresh) && !window.some((line) => to.test(line));
  return replaces(TAB_INDENT, SPACE_INDENT) || replaces(SPACE_INDENT, TAB_INDENT);
}
