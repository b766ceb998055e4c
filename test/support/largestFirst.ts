// Sorts the tokens of a row of logits.

/** Returns the token ids in descending order of their logits; ids with equal logits in ascending order. */
export function largestFirst(logits: readonly number[]): number[] {
  return logits.map((_, token) => token).sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b);
}
