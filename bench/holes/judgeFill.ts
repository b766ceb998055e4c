// How good a fill is: an answer compared with what was taken out, by the fewest characters to insert, delete or replace.
import type { Fill } from './fillHoles';
import { missingText } from './holes';

/** Of one hole, or their means over several. */
export interface Judgement<Exact = boolean> {
  /** Whether the first line is the same, apart from white space at its end. */
  readonly exactMatch: Exact;
  /** Of the first lines: 1 for the same, 0 for nothing in common. */
  readonly editSimilarity: number;
  /** The same two for the whole answer, which tells more where several lines were taken out. */
  readonly wholeExactMatch: Exact;
  readonly wholeEditSimilarity: number;
}

export type JudgedFill = Fill & Judgement;

export function judgeFill(fill: Fill): JudgedFill {
  const [lines, wanted] = [fill.text, missingText(fill.hole)].map((each) =>
    each.split('\n').map((line) => line.trimEnd()),
  );
  const [line = '', wantedLine = ''] = [lines?.[0], wanted?.[0]];
  const [whole = '', wantedWhole = ''] = [lines?.join('\n'), wanted?.join('\n')];
  return {
    ...fill,
    exactMatch: line === wantedLine,
    editSimilarity: similarity(line, wantedLine),
    wholeExactMatch: whole === wantedWhole,
    wholeEditSimilarity: similarity(whole, wantedWhole),
  };
}

function similarity(a: string, b: string): number {
  const longer = Math.max([...a].length, [...b].length);
  return longer === 0 ? 1 : 1 - editDistance([...a], [...b]) / longer;
}

/** Levenshtein's. */
function editDistance(from: readonly string[], to: readonly string[]): number {
  // Distances between what has been read of `from` and each beginning of `to`.
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
