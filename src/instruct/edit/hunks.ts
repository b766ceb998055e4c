// Hunks of a proposed edit. The document contains the new lines and, above them, an empty line in place of each removed
// one, until the user decides or the file is written. Works on lines alone, without an editor.
import { lineDiff } from '../../../server/rules/lineDiff';

export interface Hunk {
  /** Index of the hunk in the proposal, which never changes. */
  readonly id: number;
  /** Number of the first empty line, or of the first added line if none was removed. */
  readonly line: number;
  readonly removed: readonly string[];
  /** Count of empty lines in place of removed ones: `removed.length`, or 0 once the empty lines are taken out. */
  readonly empty: number;
  /** Count of added lines, which follow the empty ones. */
  readonly added: number;
}

/** Replacement of the lines from `from` up to `to`, without `to` itself, by `lines`. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

interface Position {
  readonly line: number;
  readonly character: number;
}

/** A change as VS Code reports it, with positions from before the change. */
export interface TextChange {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

/** Returns the lines that replace `before` in the document, and their hunks. `line` is the number of the first line. */
export function proposed(
  before: readonly string[],
  after: readonly string[],
  line: number,
): { readonly lines: readonly string[]; readonly hunks: readonly Hunk[] } {
  const lines: string[] = [];
  const hunks: Hunk[] = [];
  let next = 0;
  for (const { at, removed, added } of lineDiff(before, after)) {
    lines.push(...before.slice(next, at));
    next = at + removed;
    hunks.push({
      id: hunks.length,
      line: line + lines.length,
      removed: before.slice(at, next),
      empty: removed,
      added: added.length,
    });
    lines.push(...Array<string>(removed).fill(''), ...added);
  }
  lines.push(...before.slice(next));
  return { lines, hunks };
}

/** Returns the first line after a hunk. */
export function endOf({ line, empty, added }: Hunk): number {
  return line + empty + added;
}

/** Returns the edit that accepts a hunk by removing its empty lines, or rejects it by restoring the old lines. */
export function decision(hunk: Hunk, isAccepted: boolean): LineEdit {
  const { line: from, removed, empty } = hunk;
  if (isAccepted) return { from, to: from + empty, lines: [] };
  return { from, to: endOf(hunk), lines: removed };
}

/** Returns the edits that remove the empty lines from the document, and the undecided hunks as they are afterwards. */
export function withoutEmpty(hunks: readonly Hunk[]): {
  readonly edits: readonly LineEdit[];
  readonly hunks: readonly Hunk[];
} {
  const edits = hunks.map((hunk) => decision(hunk, true));
  let above = 0;
  const undecided = hunks.map((hunk) => {
    const line = hunk.line - above;
    above += hunk.empty;
    return { ...hunk, line, empty: 0 };
  });
  return { edits: joined(edits), hunks: undecided };
}

/** Merges adjacent edits and drops those without effect. `edits` are in order. */
export function joined(edits: readonly LineEdit[]): LineEdit[] {
  const result: LineEdit[] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    if (edit.from === edit.to && edit.lines.length === 0) continue;
    if (last?.to === edit.from)
      result.splice(-1, 1, { from: last.from, to: edit.to, lines: [...last.lines, ...edit.lines] });
    else result.push(edit);
  }
  return result;
}

/** Returns the lines of a document after `edits`, which are in order and do not overlap. */
export function edited(lines: readonly string[], edits: readonly LineEdit[]): string[] {
  const result = [...lines];
  for (const { from, to, lines: fresh } of edits.toReversed()) result.splice(from, to - from, ...fresh);
  return result.length === 0 ? [''] : result;
}

/** Moves hunks along with a change. Editing added lines keeps a hunk; changing the rest of it ends it. */
export function moved(hunks: readonly Hunk[], change: TextChange): Hunk[] {
  const { from, to, count } = linesOf(change);
  const grown = count - (to - from);
  return hunks.flatMap((hunk) => {
    if (to <= hunk.line) return { ...hunk, line: hunk.line + grown };
    if (from >= endOf(hunk)) return hunk;
    const isInAddedLines = from >= hunk.line + hunk.empty && to <= endOf(hunk);
    const added = hunk.added + grown;
    return isInAddedLines && hunk.removed.length + added > 0 ? { ...hunk, added } : [];
  });
}

/** Returns the lines that a change touches, from `from` up to `to`, and how many lines replace them. */
function linesOf({ range: { start, end }, text }: TextChange): {
  readonly from: number;
  readonly to: number;
  readonly count: number;
} {
  const breaks = text.split('\n').length - 1;
  const hasWholeLines = start.character === 0 && end.character === 0 && (text === '' || text.endsWith('\n'));
  // Deleting whole lines leaves none of them; an insertion at the start of a line does not touch that line.
  if (hasWholeLines) return { from: start.line, to: end.line, count: breaks };
  return { from: start.line, to: end.line + 1, count: breaks + 1 };
}
