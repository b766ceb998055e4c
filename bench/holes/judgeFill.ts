// Judges a fill by its edit distance from the removed text: the fewest characters to insert, delete or replace.
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
  const lines = trimmedLines(fill.text);
  const expectedLines = trimmedLines(missingText(fill.hole));
  const [line = '', expectedLine = ''] = [lines[0], expectedLines[0]];
  const [answer, expectedAnswer] = [lines.join('\n'), expectedLines.join('\n')];
  return {
    ...fill,
    exactMatch: line === expectedLine,
    editSimilarity: similarity(line, expectedLine),
    wholeExactMatch: answer === expectedAnswer,
    wholeEditSimilarity: similarity(answer, expectedAnswer),
  };
}

/** Returns the lines without white space at their ends. */
function trimmedLines(text: string): string[] {
  return text.split('\n').map((line) => line.trimEnd());
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
    for (const [j, toChar] of to.entries()) {
      const replaced = (row[j] ?? 0) + (char === toChar ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
