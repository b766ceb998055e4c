// How much two texts differ: the fewest characters to insert, delete or replace (Levenshtein).

function editDistance(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  // Distances between what has been read of `a` and each beginning of `b`.
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

/** 1 for the same text, 0 for texts that have nothing in common. */
export function editSimilarity(a: string, b: string): number {
  const longer = Math.max([...a].length, [...b].length);
  return longer === 0 ? 1 : 1 - editDistance(a, b) / longer;
}
