// Judges a fill by comparing it with the removed text, by the fewest characters to insert, delete or replace.
import type { Fill } from './fillHoles';
import { missingText } from './holes';

/** Judgement of one hole, or means over several. */
export interface Judgement<Exact = boolean> {
  /** True if the first lines are equal, ignoring white space at their ends. */
  readonly exactMatch: Exact;
  /** Similarity of the first lines: 1 for equal ones, 0 for nothing in common. */
  readonly editSimilarity: number;
  /** The same for the whole answer, which is more informative if several lines were removed. */
  readonly wholeExactMatch: Exact;
  readonly wholeEditSimilarity: number;
}

export type JudgedFill = Fill & Judgement;

export function judgeFill(fill: Fill): JudgedFill {
  const [lines, expected] = [fill.text, missingText(fill.hole)].map((each) =>
    each.split('\n').map((line) => line.trimEnd()),
  );
  const [line = '', expectedLine = ''] = [lines?.[0], expected?.[0]];
  const [whole = '', expectedWhole = ''] = [lines?.join('\n'), expected?.join('\n')];
  return {
    ...fill,
    exactMatch: line === expectedLine,
    editSimilarity: similarity(line, expectedLine),
    wholeExactMatch: whole === expectedWhole,
    wholeEditSimilarity: similarity(whole, expectedWhole),
  };
}

function similarity(a: string, b: string): number {
  const longer = Math.max([...a].length, [...b].length);
  return longer === 0 ? 1 : 1 - editDistance([...a], [...b]) / longer;
}

/** Computes the Levenshtein distance. */
function editDistance(from: readonly string[], to: readonly string[]): number {
  // Distances between the processed part of `from` and each prefix of `to`.
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, char] of from.entries()) {
    const next = [i + 1];
    for (const [j, other] of to.entries()) {
      const replaced = (row[j] ?? 0) + (char === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
