// Measures how close the decisions of a model were.

/** Returns the difference of the two largest of each row of `vocabSize` logits. */
export function topTwoGaps(logits: readonly number[], vocabSize: number): number[] {
  return Array.from({ length: logits.length / vocabSize }, (_, row) => {
    let [best, second] = [-Infinity, -Infinity];
    for (const value of logits.slice(row * vocabSize, (row + 1) * vocabSize)) {
      if (value > best) [best, second] = [value, best];
      else if (value > second) second = value;
    }
    return best - second;
  });
}
