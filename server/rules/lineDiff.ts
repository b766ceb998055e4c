// Finds the lines in which two texts differ.
import { commonEnd, commonStart } from './commonEnds';

/** A change that replaces `removed` lines at line `at` of the first text by `added`. */
export interface LineChange {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Maximum entries of `commonLengths`. In larger texts, all between the first and last difference is one change. */
const MAX_CELLS = 4_000_000;

/** Returns whether two texts have the same lines. */
export function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}

/** Returns everything between the first and the last difference as one change; undefined for equal texts. */
export function changedLines(before: readonly string[], after: readonly string[]): LineChange | undefined {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed = before.length - end - start;
  const added = after.slice(start, after.length - end);
  return removed + added.length === 0 ? undefined : { at: start, removed, added };
}

/** Returns the changes in order. Unchanged lines are between any two of them. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  const span = changedLines(before, after);
  if (span === undefined) return [];
  const { at, removed, added } = span;
  if (removed * added.length > MAX_CELLS) return [span];
  return changes(before.slice(at, at + removed), added).map((change) => ({ ...change, at: at + change.at }));
}

/** Returns the text after one change. */
export function withChange(lines: readonly string[], { at, removed, added }: LineChange): readonly string[] {
  return [...lines.slice(0, at), ...added, ...lines.slice(at + removed)];
}

/** Returns the changes by a longest common subsequence of lines. */
function changes(old: readonly string[], fresh: readonly string[]): LineChange[] {
  const width = fresh.length + 1;
  const common = commonLengths(old, fresh, width);
  const found: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const at = i;
    const freshStart = j;
    // Up to the next common line, skips old or fresh lines, whichever keeps the longer common subsequence.
    while ((i < old.length || j < fresh.length) && !(i < old.length && old[i] === fresh[j])) {
      const below = i < old.length ? (common[(i + 1) * width + j] ?? 0) : -1;
      const right = j < fresh.length ? (common[i * width + j + 1] ?? 0) : -1;
      if (below >= right) i += 1;
      else j += 1;
    }
    if (i > at || j > freshStart) found.push({ at, removed: i - at, added: fresh.slice(freshStart, j) });
    // Equal lines begin a longest common subsequence of the remaining lines.
    while (i < old.length && old[i] === fresh[j]) {
      i += 1;
      j += 1;
    }
  }
  return found;
}

/** Returns, at [i * width + j], the length of the longest common subsequence of the lines from i and from j on. */
function commonLengths(old: readonly string[], fresh: readonly string[], width: number): Uint32Array {
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      const below = (i + 1) * width + j;
      common[here] =
        old[i] === fresh[j]
          ? 1 + (common[below + 1] ?? 0)
          : Math.max(common[below] ?? 0, common[here + 1] ?? 0);
    }
  return common;
}
