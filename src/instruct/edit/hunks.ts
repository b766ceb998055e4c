// The hunks of a proposed edit, as the document has them: the new lines are in it, and above them an empty line stands
// for each removed one, until a person decides or the file is written. Knows lines only, and no editor.
import { lineDiff } from '../../../server/rules/lineDiff';

export interface Hunk {
  /** Its number in the proposal, which it keeps. */
  readonly id: number;
  /** Of the first empty line, or of the first added one if none was removed. */
  readonly line: number;
  readonly removed: readonly string[];
  /** Lines that stand for the removed ones: as many, or none once they have been taken out. */
  readonly empty: number;
  /** Lines that follow the empty ones. */
  readonly added: number;
}

/** Puts `lines` in place of those from `from` up to `to`. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

interface Place {
  readonly line: number;
  readonly character: number;
}

/** As VS Code reports it: places are those before the change. */
export interface TextChange {
  readonly range: { readonly start: Place; readonly end: Place };
  readonly text: string;
}

/** What the document gets in place of `before`, whose first line is `line`. */
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

/** First line behind a hunk. */
export function endOf({ line, empty, added }: Hunk): number {
  return line + empty + added;
}

/** Takes the empty lines out, or puts the old ones back. */
export function decision(hunk: Hunk, isAccepted: boolean): LineEdit {
  const { line: from, removed, empty } = hunk;
  if (isAccepted) return { from, to: from + empty, lines: [] };
  return { from, to: endOf(hunk), lines: removed };
}

/** Takes the empty lines out of the document, and leaves the decisions open. */
export function withoutEmpty(hunks: readonly Hunk[]): {
  readonly edits: readonly LineEdit[];
  readonly hunks: readonly Hunk[];
} {
  const edits = hunks.map((hunk) => decision(hunk, true));
  let above = 0;
  const left = hunks.map((hunk) => {
    const line = hunk.line - above;
    above += hunk.empty;
    return { ...hunk, line, empty: 0 };
  });
  return { edits: joined(edits), hunks: left };
}

/** One edit for all that touch each other, and none for what stays as it is; `edits` are in order. */
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

/** The lines of a document after `edits`, which are in order and do not overlap. */
export function edited(lines: readonly string[], edits: readonly LineEdit[]): string[] {
  const result = [...lines];
  for (const { from, to, lines: fresh } of edits.toReversed()) result.splice(from, to - from, ...fresh);
  return result.length === 0 ? [''] : result;
}

/** `hunks` where an edit has left them. Added lines may be edited; what changes the rest of a hunk ends it. */
export function moved(hunks: readonly Hunk[], change: TextChange): Hunk[] {
  const { from, to, count } = linesOf(change);
  const grown = count - (to - from);
  return hunks.flatMap((hunk) => {
    if (to <= hunk.line) return { ...hunk, line: hunk.line + grown };
    if (from >= endOf(hunk)) return hunk;
    const isInside = from >= hunk.line + hunk.empty && to <= endOf(hunk);
    const added = hunk.added + grown;
    return isInside && hunk.removed.length + added > 0 ? { ...hunk, added } : [];
  });
}

/** The lines that a change touches, from `from` up to `to`, and how many it leaves of them. */
function linesOf({ range: { start, end }, text }: TextChange): {
  readonly from: number;
  readonly to: number;
  readonly count: number;
} {
  const breaks = text.split('\n').length - 1;
  const isWhole = start.character === 0 && end.character === 0 && (text === '' || text.endsWith('\n'));
  // Without text, nothing is left of whole lines; an insertion at the start of a line leaves the line itself alone.
  if (isWhole) return { from: start.line, to: end.line, count: breaks };
  return { from: start.line, to: end.line + 1, count: breaks + 1 };
}
