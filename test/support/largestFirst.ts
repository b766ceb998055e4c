// The tokens of a row of logits in falling order.

/** Returns the token ids by falling logits; equal logits in the order of their ids. */
export function largestFirst(logits: readonly number[]): number[] {
  return logits.map((_, token) => token).sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b);
}
